from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from clawtap_core.system import tailscale
from clawtap_core.system.tailscale import Tailscale, find_tailscale

NAME = "desk.tail1.ts.net"
RUNNING = json.dumps({"BackendState": "Running", "Self": {"DNSName": f"{NAME}."}})
Answer = Callable[[str, str], None]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Puts a `tailscale` on the PATH that answers `status` and `serve status`."""
    monkeypatch.setattr(tailscale, "_PROGRAMS", ("tailscale",))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def install(status: str, serve: str = "{}") -> None:
        (tmp_path / "status").write_text(status)
        (tmp_path / "serve").write_text(serve)
        program = tmp_path / "tailscale"
        program.write_text(f'#!/bin/sh\ncat "{tmp_path}/$1"\n')
        program.chmod(0o755)

    return install


def serving(target: str, host: str = f"{NAME}:443", path: str = "/") -> str:
    return json.dumps({"Web": {host: {"Handlers": {path: {"Proxy": target}}}}})


def test_a_machine_without_it_has_none(answer: Answer) -> None:
    assert find_tailscale(3456) == Tailscale()


@pytest.mark.parametrize(
    "status",
    [
        "",
        "stopped",
        "[]",
        '{"BackendState": "Stopped", "Self": {"DNSName": "a.ts.net"}}',
        '{"BackendState": "Running"}',
        '{"BackendState": "Running", "Self": {"DNSName": "a\\nb"}}',
        '{"BackendState": "Running", "Self": {"DNSName": "192.168.1.1"}}',
    ],
)
def test_one_that_does_not_run_has_no_name(answer: Answer, status: str) -> None:
    answer(status, serving("http://127.0.0.1:3456"))
    assert find_tailscale(3456) == Tailscale(installed=True)


@pytest.mark.parametrize(
    ("serve", "url"),
    [
        ("{}", None),
        ("null", None),
        ('{"Web": {"x": 1}}', None),
        (serving("http://127.0.0.1:3456"), f"https://{NAME}"),
        (serving("http://localhost:3456", f"{NAME}:8443"), f"https://{NAME}:8443"),
        (json.dumps({"Foreground": {"1": json.loads(serving("http://127.0.0.1:3456"))}}),
         f"https://{NAME}"),
        (serving("http://127.0.0.1:9999"), None),
        (serving("http://10.0.0.1:3456"), None),
        (serving("http://127.0.0.1:3456", path="/other"), None),
        (serving("http://127.0.0.1:3456", "else.ts.net:443"), None),
        (serving("http://127.0.0.1:x"), None),
    ],
)  # fmt: skip
def test_what_it_serves_is_ours_only_if_it_leads_to_our_port(
    answer: Answer, serve: str, url: str | None
) -> None:
    answer(RUNNING, serve)
    assert find_tailscale(3456) == Tailscale(installed=True, name=NAME, url=url)
