"""A rule answers a real CLI: the scripted model sees what came of it, and nobody taps."""

from __future__ import annotations

from typing import Any

import pytest
from every_cli import on_every_version
from hooked_testbed import hooks
from patience import until


def rule(talk: Any, prompt: Any, name: str, decision: str, command: str) -> dict[str, Any]:
    """A rule about this command, in the folder and with the tool of a prompt."""
    return {
        "name": name,
        "decision": decision,
        "folder": str(talk.cwd),
        "tool": prompt["toolName"],
        "commands": [command],
        "expires": "2100-01-01T00:00:00Z",
    }


def known(client: Any, prompt: Any) -> Any:
    """What rules say of a prompt, once its call is known."""
    explained = client.get(f"/api/prompts/{prompt['requestId']}/rules").body
    doubtful = any("the screen does not show" in why for why in explained["judgement"]["reasons"])
    return None if doubtful else explained


@pytest.fixture
def client(testbed: Any) -> Any:
    """A device that removes its rules again."""
    yield testbed.client
    for each in testbed.client.get("/api/rules").body["rules"]:
        testbed.client.delete(f"/api/rules/{each['name']}")


@pytest.fixture
def calls_known(testbed: Any) -> Any:
    """What a command hides from Gemini's screen only hooks tell, so rules need them there."""
    if testbed.cli.name != "gemini":
        yield
        return
    hooks(testbed, "install", "--adapter", "gemini")
    yield
    hooks(testbed, "uninstall", "--adapter", "gemini")


@pytest.mark.usefixtures("calls_known")
def test_a_rule_allows_denies_and_leaves_the_rest_to_a_person(
    testbed: Any, own: Any, client: Any
) -> None:
    talk, shell = own(), testbed.cli.turns.shell
    talk.idle(60)
    # A person answers first, and sees which rule would have.
    prompt = talk.do(shell("touch first.txt"))
    # The transcript, or a hook, tells what the screen may leave out a moment later.
    explained = until(lambda: known(client, prompt))
    assert explained["judgement"]["reasons"] == ["no rule matches it"]
    assert explained["offer"]["rule"]["commands"] == ["touch first.txt"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()

    rules = [
        rule(talk, prompt, "touches", "allow", "touch by-rule.txt"),
        rule(talk, prompt, "never", "deny", "touch never.txt"),
    ]
    assert client.post("/api/rules", {"rules": rules}).status == 201
    allowed = talk.resolved(talk.do(shell("touch by-rule.txt")))
    assert (allowed["state"], allowed["resolution"]["by"]) == ("answered", "rule touches")
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "by-rule.txt").exists()

    denied = talk.resolved(talk.do(shell("touch never.txt")))
    assert (denied["state"], denied["resolution"]["by"]) == ("denied", "rule never")
    talk.idle()
    assert not (talk.cwd / "never.txt").exists()

    asked = talk.do(shell("touch by-rule.txt && touch more.txt"))
    (waiting,) = talk.pending()
    assert (waiting["requestId"], waiting["state"]) == (asked["requestId"], "pending")
    assert not (talk.cwd / "more.txt").exists()
    assert talk.deny(asked).status == 200
    talk.idle()
    counts = {each["name"]: each["count"] for each in client.get("/api/rules").body["rules"]}
    assert counts == {"touches": 1, "never": 1}


@on_every_version
@pytest.mark.parametrize(
    "hides",
    ["\b" * 16, "\r", "\x1b[2K\r", "\x1b[16D", "\x1b]0;; touch hidden.txt; echo \x07"],
    ids=["backspaces", "return", "erased", "left", "title"],
)
def test_no_rule_allows_a_command_that_draws_another_one(
    testbed: Any, own: Any, client: Any, hides: str
) -> None:
    talk = own()
    talk.idle(60)
    first = "touch hidden.txt" if "hidden" not in hides else ""
    talk.play(testbed.cli.turns.shell(f"{first}{hides}touch drawn.txt "))
    talk.say()
    # Claude refuses such a command by itself.
    talk.until(lambda _: talk.pending() or talk.log.function_responses())
    for prompt in talk.pending():
        named = {"toolName": "Bash", **prompt}  # one that the command has spoilt names no tool
        rules = [rule(talk, named, "draws", "allow", "touch drawn.txt")]
        assert client.post("/api/rules", {"rules": rules}).status == 201
        explained = client.get(f"/api/prompts/{prompt['requestId']}/rules").body
        assert explained["judgement"]["reasons"]
        assert [each["state"] for each in talk.pending()] == ["pending"]
        if prompt["type"] == "unknown":  # what the command draws has wiped the dialog out
            talk.seat.press("Escape")
        else:
            assert talk.deny(prompt).status == 200
    talk.idle()
    assert not list(talk.cwd.glob("*.txt"))
