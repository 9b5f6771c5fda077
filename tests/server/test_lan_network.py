"""Two machines in one network: a server with --lan, and a phone that opens it."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import FAKE_SERVE, TOKEN

HOME, NEXT, PHONE = "192.168.77.1", "192.168.77.9", "192.168.77.2"
PORT = 3456
FETCH = """
import json, sys, requests
asked = json.loads(sys.argv[1])
try:
    got = requests.request(**asked, timeout=5, allow_redirects=False)
    said = [got.status_code, got.headers.get("Location", ""), got.text, dict(got.cookies)]
except requests.exceptions.SSLError as error:
    trusted = "CERTIFICATE_VERIFY_FAILED" not in str(error)
    said = [0, "", "not reached" if trusted else "not trusted", {}]
except requests.exceptions.ConnectionError:
    said = [0, "", "not reached", {}]
print(json.dumps(said))
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Machines:
    """Network namespaces as machines, with a cable between them."""

    def __init__(self) -> None:
        mark = os.getpid()
        self.server, self.phone = f"clawtap-s{mark}", f"clawtap-p{mark}"

    def connect(self) -> None:
        for name in (self.server, self.phone):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", self.server, "link", "add", "lan0", "type", "veth", "peer", "lan1")
        ip("-n", self.server, "link", "set", "lan1", "netns", self.phone)
        ip("-n", self.phone, "addr", "add", f"{PHONE}/24", "dev", "lan1")
        for name, cable in ((self.server, "lan0"), (self.phone, "lan1")):
            ip("-n", name, "link", "set", cable, "up")
        self.address(HOME)

    def address(self, *addresses: str) -> None:
        ip("-n", self.server, "addr", "flush", "dev", "lan0", "scope", "global")
        for address in addresses:
            ip("-n", self.server, "addr", "add", f"{address}/24", "dev", "lan0")

    def part(self) -> None:
        for name in (self.server, self.phone):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def fetch(self, url: str, *, on: str = "phone", **asked: Any) -> list[Any]:
        """Status, where to, text and cookies of an answer to a machine."""
        name = getattr(self, on)
        request = json.dumps({"method": "GET", "url": url, **asked})
        argv = ["ip", "netns", "exec", name, sys.executable, "-c", FETCH, request]
        fetched = subprocess.run(argv, check=True, capture_output=True, text=True)
        parsed: list[Any] = json.loads(fetched.stdout)
        return parsed


class Terminal:
    """A server on a terminal, and what it shows."""

    def __init__(self, argv: list[str]) -> None:
        self.far, near = pty.openpty()
        os.set_blocking(self.far, False)
        self.process = subprocess.Popen(argv, stdout=near, stderr=near)
        os.close(near)
        self.text = ""

    def shows(self, pattern: str) -> str:
        """What a pattern matches, once it is there."""
        end = time.monotonic() + 15
        while not (match := re.search(pattern, self.text)):
            assert time.monotonic() < end, self.text
            try:
                self.text += os.read(self.far, 65536).decode(errors="replace")
            except BlockingIOError:
                time.sleep(0.02)
        return match[match.lastindex or 0]


@pytest.fixture
def machines() -> Iterator[Machines]:
    if os.geteuid() or not shutil.which("ip"):
        pytest.skip("network namespaces need root and ip")
    machines = Machines()
    try:
        machines.connect()
    except subprocess.CalledProcessError as error:
        machines.part()
        pytest.skip(f"no network namespaces here: {error.stderr.decode()}")
    yield machines
    machines.part()


@pytest.fixture
def start(machines: Machines, tmp_path: Path) -> Iterator[Callable[[], Terminal]]:
    terminals: list[Terminal] = []

    def serve() -> Terminal:
        settings = {"port": PORT, "token": TOKEN, "data_dir": str(tmp_path / "data"), "lan": True}
        argv = ["ip", "netns", "exec", machines.server, sys.executable, str(FAKE_SERVE)]
        terminals.append(Terminal([*argv, json.dumps(settings)]))
        return terminals[-1]

    yield serve
    for terminal in terminals:
        terminal.process.terminate()
        terminal.process.wait(60)
        os.close(terminal.far)


pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def test_a_phone_installs_the_certificate_pairs_and_is_seen(
    machines: Machines, start: Callable[[], Terminal], tmp_path: Path
) -> None:
    terminal = start()
    code = terminal.shows(rf"open https://{HOME}:{PORT}\s+and\s+type\s+(\S+)")
    assert terminal.shows("[▄█]")
    plain, secure = f"http://{HOME}:{PORT}", f"https://{HOME}:{PORT}"

    # Before it trusts anything: the certificate, and nothing else.
    assert machines.fetch(secure)[2] == "not trusted"
    assert machines.fetch(plain)[:2] == [303, "/certificate"]
    login = {"json": {"code": code}, "method": "POST"}
    assert machines.fetch(f"{plain}/api/login", **login)[0] == 403
    for path, method in (("/login", "GET"), ("/healthz", "GET"), ("/api/sessions", "GET")):
        refused = machines.fetch(
            f"{plain}{path}", method=method, headers={"Authorization": f"Bearer {TOKEN}"}
        )
        assert (refused[0], refused[3]) == (403 if path.startswith("/api") else 303, {})

    # The root as the phone would install it; the code was not used up by the refused login.
    authority = (tmp_path / "data" / "lan" / "authority.pem").read_text()
    root = tmp_path / "root.pem"
    root.write_text(authority[authority.index("-----BEGIN CERT") :])
    phone = {"verify": str(root), "headers": {"User-Agent": "Mozilla (Linux; Android 15) Chrome"}}
    assert machines.fetch(f"{secure}/healthz", **phone)[0] == 200
    entered = machines.fetch(f"{secure}/api/login", **phone, **login)
    assert entered[0] == 200
    assert list(entered[3]) == [f"clawtap_{PORT}"]
    assert machines.fetch(f"{secure}/api/sessions", cookies=entered[3], **phone)[0] == 200
    device = terminal.shows(r"Your phone reached this machine \(([^)]*)\): it is signed in")
    assert device == "Chrome on Android"
    assert terminal.text.count("reached this machine") == 1

    # This machine's own commands need no certificate.
    assert machines.fetch(f"http://127.0.0.1:{PORT}/healthz", on="server")[0] == 200


def test_an_address_that_changes_is_announced_and_covered(
    machines: Machines, start: Callable[[], Terminal], tmp_path: Path
) -> None:
    terminal = start()
    terminal.shows(rf"open https://{HOME}:{PORT} ")
    machines.address()
    terminal.shows("has no local network now")
    machines.address(NEXT)
    code = terminal.shows(rf"open https://{NEXT}:{PORT}\s+and\s+type\s+(\S+)")
    root = tmp_path / "data" / "lan" / "authority.pem"
    answer = machines.fetch(
        f"https://{NEXT}:{PORT}/api/login", method="POST", json={"code": code}, verify=str(root)
    )
    assert answer[0] == 200


def test_every_network_of_the_machine_has_an_address(
    machines: Machines, start: Callable[[], Terminal], tmp_path: Path
) -> None:
    machines.address(HOME)
    ip("-n", machines.server, "addr", "add", "fd77::1/64", "dev", "lan0", "nodad")
    ip("-n", machines.phone, "addr", "add", "fd77::2/64", "dev", "lan1", "nodad")
    terminal = start()
    terminal.shows(rf"open https://{HOME}:{PORT} ")
    terminal.shows(rf"in another network: https://\[fd77::1\]:{PORT}")
    root = str(tmp_path / "data" / "lan" / "authority.pem")
    assert machines.fetch(f"https://[fd77::1]:{PORT}/healthz", verify=root)[0] == 200
    assert machines.fetch(f"http://[fd77::1]:{PORT}/healthz")[:2] == [303, "/certificate"]


def test_a_machine_with_a_public_address_serves_it_to_nobody(
    machines: Machines, start: Callable[[], Terminal]
) -> None:
    machines.address(HOME, "11.0.0.1")
    ip("-n", machines.phone, "addr", "add", "11.0.0.2/24", "dev", "lan1")
    start().shows(rf"open https://{HOME}:{PORT} ")
    assert machines.fetch(f"https://11.0.0.1:{PORT}/healthz")[2] == "not reached"
    assert machines.fetch(f"http://11.0.0.1:{PORT}/")[2] == "not reached"


def test_a_port_in_use_is_explained(machines: Machines, start: Callable[[], Terminal]) -> None:
    start().shows(rf"open https://{HOME}:{PORT} ")
    assert start().shows("in use by another program or another ClawTap")
