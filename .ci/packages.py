#!/usr/bin/env python3
"""Build every distribution and use it as a user would: the core alone in a bare environment, then
each plugin, then `clawtap[all]` with its demo. `tox -e pkg`, or `make packages`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
START_SECONDS = 30


def run(*command: str | Path) -> str:
    """Return what a command prints; the script ends when it fails."""
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return result.stdout


def build_wheels(folder: Path) -> dict[str, Path]:
    """Build all wheels into `folder`, by the name of their distribution."""
    run(sys.executable, CHECKOUT / ".ci/man_page.py")
    sources = [CHECKOUT, *sorted(CHECKOUT.glob("plugins/*"))]
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, *sources)
    return {wheel.name.split("-")[0].replace("_", "-"): wheel for wheel in folder.glob("*.whl")}


def get(url: str) -> bytes:
    """Return the body of a page, or end the script with its status."""
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:  # noqa: S310 - our own server
            body: bytes = reply.read()
            return body
    except urllib.error.HTTPError as error:
        sys.exit(f"GET {url}: {error.code}")


def serve_and_fetch(environment: Path, home: Path) -> int:
    """Start `clawtap serve` from the installed wheel, and fetch every file that pages use."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = (
        environment / "bin/clawtap",
        "serve",
        "--port",
        str(port),
        "--data-dir",
        home / "data",
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    with (home / "serve.log").open("wb") as log:
        server = subprocess.Popen(list(map(str, command)), env=env, stdout=log, stderr=log)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/healthz", server, home / "serve.log")
        page = get(f"http://127.0.0.1:{port}/login").decode()
        digest = re.search(r"/static/(\w+)/", page)
        if not digest:
            sys.exit("the login page names no static files")
        static = next(environment.glob("lib/python*/site-packages/webui/static"))
        files = [path for path in sorted(static.rglob("*")) if path.is_file()]
        shipped = {path.relative_to(static) for path in files}
        source = CHECKOUT / "webui/static"
        if missing := {path.relative_to(source) for path in source.rglob("*.*")} - shipped:
            sys.exit(f"not in the wheel: {', '.join(map(str, sorted(missing)))}")
        for path in files:
            name = path.relative_to(static).as_posix()
            if get(f"http://127.0.0.1:{port}/static/{digest[1]}/{name}") != path.read_bytes():
                sys.exit(f"served otherwise than it is in the wheel: {name}")
        return len(files)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)


def answer_the_demo(environment: Path, home: Path) -> None:
    """Start `clawtap demo` from installed wheels and approve its first prompt."""
    socket_name = f"clawtap-pkg-{os.getpid()}"
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm"}
    flags = ("--port", "0", "--data-dir", home / "data", "--tmux-socket", socket_name)
    where = ("--data-dir", home / "data")
    with (home / "demo.log").open("wb") as log:
        demo = [str(word) for word in (environment / "bin/clawtap", "demo", *flags)]
        server = subprocess.Popen(demo, env=env, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 2 * START_SECONDS
        while time.monotonic() < deadline and server.poll() is None:
            approve = list(map(str, (environment / "bin/clawtap", "approve", *where, "--json")))
            done = subprocess.run(approve, env=env, capture_output=True, text=True)
            if done.returncode == 0:
                if json.loads(done.stdout)["state"] != "answered":
                    sys.exit(f"the answer did not arrive: {done.stdout}")
                return
            time.sleep(0.2)
        sys.exit(f"the demo asked nothing:\n{(home / 'demo.log').read_text()}{done.stderr}")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
        subprocess.run(["tmux", "-L", socket_name, "kill-server"], capture_output=True)


def read_the_man_page(environment: Path) -> None:
    """Check that `man clawtap` shows the page of the wheel, wherever `clawtap` is on the PATH."""
    page = environment / "share/man/man1/clawtap.1"
    if "clawtap serve" not in page.read_text(encoding="utf-8").replace("\\-", "-"):
        sys.exit(f"{page} is no man page of clawtap")
    if shutil.which("man"):
        path = f"{environment / 'bin'}:{os.environ['PATH']}"
        found = subprocess.run(
            ["man", "-w", "clawtap"], env={"PATH": path}, capture_output=True, text=True
        )
        if found.stdout.strip() != str(page):
            sys.exit(f"`man clawtap` shows {found.stdout or found.stderr}, not {page}")


def wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers; end the script with its log when it does not."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.05)
        else:
            return
    sys.exit(f"clawtap serve did not start:\n{log.read_text()}")


def main() -> None:
    """Check the core alone, then with each plugin."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        wheels = build_wheels(folder / "wheels")
        environment = folder / "bare"
        venv.create(environment, with_pip=True)
        pip, clawtap = environment / "bin/pip", environment / "bin/clawtap"
        run(pip, "install", "-q", "--disable-pip-version-check", wheels.pop("clawtap"))
        run(pip, "check")
        read_the_man_page(environment)
        for name in [None, *sorted(wheels)]:
            if name:
                run(pip, "install", "-q", "--disable-pip-version-check", wheels[name])
            plugins = json.loads(run(clawtap, "plugins", "--json"))
            if broken := [plugin for plugin in plugins if plugin["status"] != "loaded"]:
                sys.exit(f"with {name or 'the core alone'}: {broken}")
            if name and name not in {plugin["distribution"] for plugin in plugins}:
                sys.exit(f"{name} is installed and is no plugin")
            home = folder / f"home-{name}"
            home.mkdir()
            count = serve_and_fetch(environment, home)
        everything = folder / "all"
        venv.create(everything, with_pip=True)
        links = ("--find-links", folder / "wheels", "clawtap[all]")
        run(everything / "bin/pip", "install", "-q", "--disable-pip-version-check", *links)
        home = folder / "home-all"
        home.mkdir()
        answer_the_demo(everything, home)
        print(f"{1 + len(wheels)} wheels installed and loaded; {count} files of pages served")
        print("man clawtap shows its page")
        print("clawtap[all] installed; a prompt of its demo approved")


if __name__ == "__main__":
    main()
