"""clawtap wait and clawtap run: when they end, and with which status."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest

from clawtap_core.cli import wait
from clawtap_core.errors import Conflict, Impossible, NotFound, Unavailable
from clawtap_core.model import Block, Message, MessagePage, Session, SessionState, UsageLimit

States = Callable[..., list[Message]]
GONE = Unavailable("the server does not answer")


def message(role: str, text: str, **more: Any) -> Message:
    return Message(f"{role}-{text}", role, (Block("text", text),), **more)


@pytest.fixture
def states(server: Any, monkeypatch: pytest.MonkeyPatch) -> States:
    """Let the session be in these states, one a look, and stay in the last; its conversation."""
    now = [0.0]
    monkeypatch.setattr(wait.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(wait.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    conversation: list[Message] = []

    def go_through(*states: str | Exception, **fields: Any) -> list[Message]:
        coming = list(states)

        def session(session_id: str) -> Session:
            state = coming.pop(0) if len(coming) > 1 else coming[0]
            if isinstance(state, Exception):
                raise state
            return replace(server.live[0], id=session_id, state=SessionState(state), **fields)

        server.session = session
        server.messages = lambda *_, **__: MessagePage(tuple(conversation))
        return conversation

    return go_through


def test_a_session_that_becomes_idle_ends_the_wait(run, states):
    states("busy", "idle")
    done = run("wait", "s-alpha")
    assert (done.exit_code, done.stdout) == (0, "idle\n")


def test_a_moment_of_idleness_between_two_turns_is_not_the_end(run, states):
    states("idle", "busy", *["idle"] * 3, "busy", "ended")
    assert run("wait", "s-alpha").exit_code == 3


def test_a_session_with_a_queued_message_is_not_idle(run, states):
    states("idle", queued=1)
    done = run("wait", "s-alpha", "--timeout", "5")
    assert done.exit_code == 124
    assert done.stderr == "still idle after 5 s\n"


def test_waiting_and_ended_are_states_to_wait_for(run, states):
    states("busy", "waiting")
    assert run("wait", "s-alpha", "--until", "waiting", "--until", "ended").stdout == "waiting\n"
    states("busy", "ended")
    assert run("wait", "s-alpha", "--until", "waiting", "--until", "ended").exit_code == 0
    states("lost")
    assert run("wait", "s-alpha").exit_code == 3


def test_a_usage_limit_ends_the_wait_for_idle_unless_the_session_is_to_be_resumed(run, states):
    limit = UsageLimit("no more", datetime(2030, 1, 2, 12, tzinfo=timezone.utc))
    states("busy", "limited", limit=limit)
    done = run("wait", "s-alpha")
    assert done.exit_code == 5
    assert done.stderr.startswith("limit reached, resets at 0")
    assert run("wait", "s-alpha", "--until", "limited").exit_code == 0
    states("limited", limit=replace(limit, resume="continue"))
    assert run("wait", "s-alpha", "--timeout", "3").exit_code == 124


def test_the_list_shows_until_when_a_session_is_limited(run, server):
    limit = UsageLimit("no more", datetime(2030, 1, 2, 12, tzinfo=timezone.utc))
    server.live[0] = replace(server.live[0], state=SessionState.LIMITED, limit=limit)
    assert "limited until 0" in run("ls").stdout


def test_a_line_that_the_agent_wrote_ends_the_wait(run, states):
    conversation = states("busy")
    conversation += [
        message("assistant", "All 41 tests passed."),
        message("user", "say: tests passed"),
        message("assistant", "tests passed", origin="reviewer"),
        message("assistant", "Well.\nAll 42 tests \x1b[1mpassed\x1b[0m."),
    ]
    done = run("wait", "s-alpha", "--text", "tests? .*passed")
    assert (done.exit_code, done.stdout) == (0, "All 42 tests passed.\n")
    done = run("wait", "s-alpha", "--text", "All 41", "--timeout", "1", "--json")
    assert done.exit_code == 124
    wire = json.loads(done.stdout)
    assert (wire["ok"], wire["text"], wire["session"]["state"]) == (False, "", "busy")


def test_a_wait_survives_a_restart_of_the_server(run, states):
    states(GONE, GONE, "busy", GONE, "waiting")
    assert run("wait", "s-alpha", "--until", "waiting").exit_code == 0


def test_a_server_that_stays_away_is_an_error(run, states):
    states(GONE)
    done = run("wait", "s-alpha")
    assert done.exit_code == 1
    assert "the server does not answer" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["wait", "nobody"], 1, "no such session"),
        (["wait", "s-alpha", "--text", "("], 2, "not a regular expression"),
        (["wait", "s-alpha", "--until", "happy"], 2, "is not one of"),
        (["wait", "s-alpha", "--timeout", "-1"], 2, "-1.0 is not in the range"),
        (["run", "demo", "-"], 1, "the task is empty"),
    ],
)
def test_wrong_input_is_refused(run, arguments, status, words):
    done = run(*arguments, stdin="")
    assert done.exit_code == status
    assert words in done.stderr


def test_an_answer_is_printed_and_the_session_ended(run, server, states):
    conversation = states("starting", "busy", "idle")
    conversation += [
        message("user", "which?"),
        message("assistant", "I look."),
        message("assistant", "src/mail.py"),
    ]
    done = run("run", "demo", "-", "--model", "large", stdin="which?\n")
    assert (done.exit_code, done.stdout) == (0, "I look.\n\nsrc/mail.py\n")
    started, ended = server.calls
    assert (started[1].message, started[1].model) == ("which?", "large")
    assert ended == ("end", "s-new")


def test_a_session_can_be_kept(run, server, states):
    states("idle").append(message("assistant", "yes"))
    wire = json.loads(run("run", "demo", "which?", "--keep", "--json").stdout)
    assert wire == {"ok": True, "text": "yes", "sessionId": "s-new"}
    assert [call[0] for call in server.calls] == ["start"]


@pytest.mark.parametrize(
    ("after", "flags", "status", "words"),
    [
        (
            ["idle"],
            [],
            1,
            "the turn ended without an answer that ClawTap could read; clawtap attach s-",
        ),
        (["busy", "ended"], [], 3, "the session ended without an answer"),
        (["busy"], ["--timeout", "9"], 124, "still busy after 9 s"),
    ],
)
def test_without_an_answer_the_status_says_why(run, server, states, after, flags, status, words):
    states(*after)
    done = run("run", "demo", "which?", *flags)
    assert (done.exit_code, done.stdout) == (status, "")
    assert words in done.stderr
    assert server.calls[-1] == ("end", "s-new")


def test_a_prompt_can_end_the_run(run, server, states):
    states("waiting")
    server.waiting = [replace(prompt, session_id="s-new") for prompt in server.waiting]
    done = run("run", "demo", "which?", "--on-prompt", "fail")
    assert done.exit_code == 4
    assert done.stderr == "error: it asked: Run this?\n"


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (None, 0),
        (Conflict("somebody was faster"), 0),
        (NotFound("it has left"), 0),
        (Impossible("a question cannot be denied"), 4),
    ],
)
def test_prompts_can_be_denied(run, server, states, refusal, status):
    states("waiting", "waiting", "idle").append(message("assistant", "without it then"))
    server.waiting = [replace(prompt, session_id="s-new") for prompt in server.waiting]
    denied = []

    def deny(session_id: str, request_id: str, **_: Any) -> None:
        denied.append(request_id)
        if refusal:
            raise refusal

    server.deny = deny
    assert run("run", "demo", "which?", "--on-prompt", "deny").exit_code == status
    assert denied == ["p-1"]
