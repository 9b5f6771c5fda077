"""Back after a reboot: six sessions of three real CLIs, in panes and over their protocols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from clilab.desk import Desk
from every_cli import CLIS
from protocol_testbed import speak

from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

VERSIONS = (
    {"claude": "2.1.332", "codex": "0.169.0", "gemini": "0.61.0"},
    {"claude": "2.1.85", "codex": "0.116.0", "gemini": "0.34.0"},
)
MODES = {"claude": "plan", "codex": "read-only", "gemini": "auto_edit"}
KEPT = ("adapter", "channel", "cwd", "title", "mode", "cliSessionId")


def joined(envs: list[Mapping[str, str]]) -> dict[str, str]:
    """The environments of several CLIs as one."""
    env = {name: value for each in envs for name, value in each.items()}
    return {**env, "PATH": ":".join(dict.fromkeys(":".join(e["PATH"] for e in envs).split(":")))}


@pytest.fixture(params=VERSIONS, ids=["new", "old"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The testbeds of three CLIs, with one home, one tmux server and one ClawTap."""
    beds = {name: CLIS[name].open(version, tmp_path) for name, version in request.param.items()}
    desk = Desk(f"{SOCKET_PREFIX}reboot")
    env = joined([bed.env for bed in beds.values()])
    served = Served(tmp_path, tmux_socket=desk.socket, env=env)
    for bed in beds.values():
        bed.desk, bed.served, bed.env = desk, served, env
    yield beds
    served.stop()
    end_server(desk.socket)
    for bed in beds.values():
        bed.model.stop()


def told(bed: Any, text: str) -> bool:
    """Whether a request of this chapter to the model has this text."""
    return any(text in str(request.body) for request in bed.model.log.chapter())


@pytest.mark.timeout(580)
def test_six_sessions_of_three_clis_come_back_as_they_were(machine: dict[str, Any]) -> None:
    talks: dict[tuple[str, str], Any] = {}
    for name, bed in machine.items():
        talks[name, "pane"] = bed.start(permissionMode=MODES[name])
        # Gemini over its protocol may not have stored what was said when it is killed.
        talks[name, "other"] = bed.start() if name == "gemini" else speak(bed, name)
        for kind in ("pane", "other"):
            talk = talks[name, kind]
            talk.idle(120)
            talk.play()
            talk.say(f"the word is {name}-{kind}-heron")
            talk.finish()
            talk.until(lambda now: now.get("cliSessionId"))
    before = {talk.id: talk.get().body for talk in talks.values()}
    assert {each["mode"] for each in before.values()} >= set(MODES.values())

    served, desk, client = (
        machine["claude"].served,
        machine["claude"].desk,
        machine["claude"].client,
    )
    desk.tmux("kill-server")
    served.kill()
    for talk in talks.values():
        talk.events.close()
    served.start()
    lost = {
        (each["adapter"], each["channel"]): (each["state"], each.get("detail"))
        for each in client.get("/api/sessions").body
    }
    assert {state for state, _ in lost.values()} == {"lost"}, lost

    restored = client.post("/api/sessions/restore", {}).body["sessions"]
    outcomes = {each["session"]["id"]: (each["outcome"], each.get("reason")) for each in restored}
    assert outcomes == dict.fromkeys(before, ("restored", None))
    assert client.post("/api/sessions/restore", {}).body["sessions"] == []

    for (name, kind), talk in talks.items():
        talk.listen()
        talk.seat.pane = talk.get().body.get("pane") or ""
        talk.idle(120)
        talk.play()
        talk.say("which word was it?")
        talk.finish()
        bed = machine[name]
        others = {other for other in talks if other != (name, kind)}
        assert told(bed, f"the word is {name}-{kind}-heron"), (name, kind)
        assert not any(told(bed, f"the word is {one}-{way}-heron") for one, way in others)
        after = talk.get().body
        assert {field: after.get(field) for field in KEPT} == {
            field: before[talk.id].get(field) for field in KEPT
        }
        talk.events.close()
    panes = desk.tmux("list-panes", "-a", "-F", "#{@clawtap_session}").split()
    assert sorted(panes) == sorted(
        name for name, each in before.items() if each["channel"] == "terminal"
    )
    for talk in talks.values():
        client.delete(talk.path)
