"""Scenarios of permissions that several CLIs go through."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from cli_testbed import CliSession


def labels(prompt: Mapping[str, Any]) -> list[str]:
    """The labels of a prompt's options."""
    return [option["label"] for option in prompt["options"]]


def denies_a_command(talk: CliSession, turns: Any) -> None:
    """A command that is denied does not run."""
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


def sends_the_reason_as_the_next_message(talk: CliSession, turns: Any) -> None:
    """The reason of a refusal is sent as the next message, where the CLI has no field for it."""
    _hears_reason(talk, turns, "use a temporary folder")


def sends_the_reason_of_an_approval_as_the_next_message(talk: CliSession, turns: Any) -> None:
    """What was said along with an approval reaches the model after the turn, once."""
    prompt = talk.do(turns.shell("touch approved.txt"))
    reason = "and keep it empty"
    assert talk.approve(prompt, reason=reason).status == 200
    assert talk.log.wait(lambda log: log.times_said(reason) == 1)
    talk.idle()
    assert talk.log.times_said(reason) == 1
    assert (talk.cwd / "approved.txt").exists()


def sends_no_reason_as_a_command(talk: CliSession, turns: Any) -> None:
    """A reason that reads like a command of the CLI reaches the model, and no command runs."""
    _hears_reason(talk, turns, "/clear the folder first")


def _hears_reason(talk: CliSession, turns: Any, reason: str) -> None:
    prompt = talk.do(turns.shell("touch refused.txt"))
    assert talk.deny(prompt, reason=reason).status == 200
    assert talk.log.wait(lambda log: log.times_said(reason) == 1)
    talk.finish()
    assert not (talk.cwd / "refused.txt").exists()


def asks_twice_for_two_identical_calls(talk: CliSession, turns: Any) -> None:
    """Two identical calls at once are two prompts."""
    first = talk.do(turns.parallel(["date >> same.txt", "date >> same.txt"]))
    _approve_two(talk, first)
    assert len((talk.cwd / "same.txt").read_text().splitlines()) == 2


def keeps_a_prompt_while_another_call_is_drawn(talk: CliSession, turns: Any) -> None:
    """A call that waits above an open prompt, and begins like its call, is no answered one."""
    command = "date >> drawn.txt"
    calls = turns.parallel([command, f"{command} && ls"])
    # Some CLIs ask for the first call before they have the second, others for both at the end.
    first = talk.do({**calls, "chunk_delay": 2.0})
    time.sleep(5)  # for the second call to come, and to be drawn
    assert [prompt["requestId"] for prompt in talk.pending()] == [first["requestId"]]
    _approve_two(talk, first)
    assert len((talk.cwd / "drawn.txt").read_text().splitlines()) == 2


def asks_again_for_a_repeated_command(
    talk: CliSession, turns: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same command in two turns is two prompts, which are returned."""
    command = "date >> twice.txt"
    first = talk.do(turns.shell(command), turns.shell(command))
    second = _approve_two(talk, first)
    assert len((talk.cwd / "twice.txt").read_text().splitlines()) == 2
    return first, second


def _approve_two(talk: CliSession, first: dict[str, Any]) -> dict[str, Any]:
    """Approve a prompt and the one after it, which is returned, and see both calls run."""
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    return second


def writes_a_file(talk: CliSession, turns: Any, tool: str) -> None:
    """A file that may be written has the text of the call."""
    path = talk.cwd / "written.txt"
    prompt = talk.do(turns.write(path, "hello\n"))
    assert prompt["toolName"] == tool
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert path.read_text() == "hello\n"


def writes_no_file_when_denied(talk: CliSession, turns: Any, tool: str) -> None:
    """A file that is denied is not written."""
    path = talk.cwd / "unwritten.txt"
    prompt = talk.do(turns.write(path, "words\n"))
    assert prompt["toolName"] == tool
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not path.exists()


def makes_an_edit(talk: CliSession, turns: Any, tool: str, *, reads: bool = True) -> str:
    """An edit that is allowed is made; returns how its prompt describes it.

    Some CLIs edit only what they have read before.
    """
    path = talk.cwd / "edited.txt"
    path.write_text("one\ntwo\nthree\n")
    before = (turns.read(path),) if reads else ()
    prompt = talk.do(*before, turns.edit(path, "two", "TWO"))
    assert prompt["toolName"] == tool
    assert talk.approve(prompt).status == 200
    talk.outputs(1 + len(before))
    talk.finish()
    assert path.read_text() == "one\nTWO\nthree\n"
    return str(prompt["description"])
