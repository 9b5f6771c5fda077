"""Scenarios of permissions that several CLIs go through."""

from __future__ import annotations

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
    prompt = talk.do(turns.shell("touch refused.txt"))
    assert talk.deny(prompt, reason="use a temporary folder").status == 200
    assert talk.log.wait(lambda log: log.times_said("use a temporary folder") == 1)
    talk.finish()
    assert not (talk.cwd / "refused.txt").exists()


def asks_twice_for_two_identical_calls(talk: CliSession, turns: Any) -> None:
    """Two identical calls at once are two prompts."""
    first = talk.do(turns.parallel(["date >> same.txt", "date >> same.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    assert len((talk.cwd / "same.txt").read_text().splitlines()) == 2
