"""Scenarios of a conversation that every CLI goes through: what was said is what the API gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cli_testbed import CliSession, CliTestbed

from clawtap_core.testing.scripted.request_log import PATIENCE

Said = tuple[str, str]
STEADY = 5.0
"""What was wrong to follow would have been followed after so many seconds."""


def search(seat: Any) -> None:
    """Choose by a word, in a list that takes one."""
    seat.see("remember the milk")
    seat.type("milk")
    time.sleep(1)
    seat.press("Enter")


def second(seat: Any) -> None:
    """Choose the row after that of the conversation which runs."""
    seat.see("sort", "esume")
    time.sleep(1)
    seat.press("Down")
    time.sleep(1)
    seat.press("Enter")


@dataclass(frozen=True)
class Stage:
    """A CLI in its testbed. `own` starts a session for one scenario, `lend` gives the one that many
    share; `turns` make it call tools.

    `sit` starts the CLI by hand, and `new_conversation` is the command for another conversation
    there (`new_file`: in a file of its own), after which the screen shows `begun`; `pick` chooses
    the one about milk in the list of those that are kept.
    """

    testbed: CliTestbed
    own: Callable[..., CliSession]
    lend: Callable[[], CliSession]
    turns: Any
    adapter: str
    sit: Callable[..., tuple[Any, Any]]
    new_conversation: str
    pending_written: bool = True
    new_file: bool = True
    begun: str = ""
    pick: Callable[[Any], None] = search

    def ask(self, name: str, text: str = "") -> Any:
        """A turn that says something and runs a command that is asked about."""
        turn = self.turns.shell(f"touch {name}.txt && echo made {name}")
        return {**turn, "parts": [{"text": text}, *turn["parts"]]} if text else turn


def spoken(messages: Sequence[dict[str, Any]]) -> list[Said]:
    """Who said what, in order: texts, calls with what became of them, results."""
    found = []
    for message in messages:
        for block in message["content"]:
            kind = block["type"]
            if kind == "text":
                found.append((message["role"], block["text"]))
            elif kind == "tool_use":
                found.append(("call", block["status"]))
            elif kind == "tool_result":
                found.append(("result", block["text"]))
    return found


def conversation(talk: CliSession, **query: Any) -> list[dict[str, Any]]:
    """The messages of a session."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return list(talk.get(f"/messages?{asked}").body["messages"])


def last_of(talk: CliSession) -> dict[str, Any]:
    """What to ask for what comes after a turn of its own: of those before, nothing comes late."""
    talk.play()
    talk.say()
    talk.finish()
    return {"after": until_said(talk, talk.end)[-1]["id"]}


def until_said(
    talk: CliSession, *expected: str, seconds: float = PATIENCE, **query: Any
) -> list[dict[str, Any]]:
    """The messages, once the last of these texts is among them."""
    end = time.monotonic() + seconds
    while True:
        messages = conversation(talk, **query)
        texts = [text for _, text in spoken(messages)]
        if all(any(each in text for text in texts) for each in expected):
            return messages
        assert time.monotonic() < end, f"{expected} not in {texts}\n{talk.seat.text()}"
        time.sleep(0.05)


def compact(talk: CliSession, command: str, *summary: str) -> list[Said]:
    """Have the CLI compact the conversation, for which the model says `summary`; what was said."""
    if summary:
        talk.model.play(*summary)
    talk.say(command)
    until_said(talk, "The conversation was compacted")
    talk.idle()
    return spoken(conversation(talk))


def streamed(events: Sequence[Any]) -> list[dict[str, Any]]:
    """The messages of the stream, each in its last form."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.type == "message":
            data = {name: value for name, value in event.data.items() if name != "sessionId"}
            found[data["id"]] = data
    return list(found.values())


def as_it_was_said_and_seen(stage: Stage) -> None:
    """What the API gives is what the model said and saw, once, in order; the stream likewise."""
    talk = stage.lend()
    since, heard = last_of(talk), len(talk.events.seen)
    talk.play(stage.ask("one", "I make a file."))
    asked = talk.say()
    prompt = talk.prompt()
    if stage.pending_written:
        messages = until_said(talk, "pending", **since)
        assert spoken(messages)[-1] == ("call", "pending")
    assert talk.approve(prompt).status == 200
    (output,) = talk.outputs()
    talk.finish()
    messages = until_said(talk, talk.end, **since)
    result = next(text for kind, text in spoken(messages) if kind == "result")
    assert spoken(messages) == [
        ("user", asked),
        ("assistant", "I make a file."),
        ("call", "success"),
        ("result", result),
        ("assistant", talk.end),
    ]
    assert "made one" in result
    assert "made one" in str(output)
    end = time.monotonic() + PATIENCE
    while streamed(talk.events.seen[heard:]) != messages and time.monotonic() < end:
        time.sleep(0.05)  # the stream comes after what can be asked for
    assert streamed(talk.events.seen[heard:]) == messages
    kinds = [event.type for event in talk.events.seen[heard:]]
    assert kinds.count("tool_call_start") == kinds.count("tool_result") == 1
    status = talk.get("/messages").body["status"]
    assert status["model"]
    assert 0 < status["contextPercent"] < 100


def refused_and_failed(stage: Stage) -> None:
    """A refused call is cancelled, also for who looks later; the session goes on."""
    talk = stage.lend()
    since = last_of(talk)
    prompt = talk.do(stage.ask("no"))
    assert talk.deny(prompt).status == 200
    talk.idle()
    messages = until_said(talk, "cancelled", **since)
    assert ("call", "cancelled") in spoken(messages)
    talk.play()
    talk.say("and another thing")
    talk.finish()
    texts = spoken(until_said(talk, talk.end, **since))
    assert texts.count(("user", "and another thing")) == 1
    assert texts.count(("call", "cancelled")) == 1
    assert texts[-1] == ("assistant", talk.end)


def after_a_restart(stage: Stage) -> None:
    """After a kill -9 of the server the conversation is what it was, and goes on."""
    talk = stage.lend()
    since = last_of(talk)
    talk.play()
    talk.say("before the restart")
    talk.finish()
    before = until_said(talk, talk.end, **since)
    stage.testbed.served.kill()
    stage.testbed.served.start()
    assert conversation(talk, **since) == before
    talk.listen()
    talk.idle(30)
    talk.play()
    talk.say("after the restart")
    talk.finish()
    after = until_said(talk, talk.end, **since)
    assert after[: len(before)] == before
    assert [said for said in spoken(after) if said[0] == "user"] == [
        ("user", "before the restart"),
        ("user", "after the restart"),
    ]


def resumed(stage: Stage) -> None:
    """A stored session is listed, read, and goes on in a new pane."""
    talk = stage.own()
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    before = until_said(talk, talk.end)
    name = talk.get().body["cliSessionId"]
    client = stage.testbed.client
    (stored,) = client.get(f"/api/history?adapter={stage.adapter}&cwd={talk.cwd}").body
    assert (stored["cliSessionId"], stored["sessionId"]) == (name, talk.id)
    assert stored["title"] == "remember the milk"
    client.delete(talk.path)
    page = client.get(f"/api/history/{stage.adapter}/{name}").body["page"]
    assert page["messages"] == before
    later = stage.own(cwd=talk.cwd, resume=name)
    later.idle(60)
    later.play()
    later.say("and the bread")
    later.finish()
    after = until_said(later, later.end, "remember the milk")
    assert [said for said in spoken(after) if said[0] == "user"] == [
        ("user", "remember the milk"),
        ("user", "and the bread"),
    ]


def two_in_one_folder(stage: Stage) -> None:
    """Two sessions of one folder, talking at the same time, are kept apart."""
    one = stage.lend()
    since = last_of(one)
    two = stage.own(cwd=one.cwd)
    two.idle(60)
    stage.testbed.model.play("I hear you", "I hear you", "I hear you", "I hear you")
    for count in ("first", "second"):
        one.say(f"north {count}")
        two.say(f"south {count}")
        one.idle()
        two.idle()
    north = spoken(until_said(one, "north first", "north second", **since))
    south = spoken(until_said(two, "south first", "south second"))
    assert [text for who, text in north if who == "user"] == ["north first", "north second"], north
    assert [text for who, text in south if who == "user"] == ["south first", "south second"], south


def adopted_later(stage: Stage, *words: str) -> tuple[CliSession, Any]:
    """A pane that was adopted after a turn at the desk; the model goes on with these words."""
    seat, cwd = stage.sit()
    stage.testbed.model.play("a word from the model", *words)
    seat.say("typed at the desk")
    seat.see("a word from the model")
    talk = stage.testbed.adopt(seat.pane, cwd)
    talk.idle(30)
    return talk, seat


def at_the_desk(stage: Stage) -> None:
    """A pane adopted in the middle of a conversation shows all of it, and that alone.

    Another CLI that talks in the same folder, unwatched, is not taken for it; a new
    conversation there is followed, without a hook.
    """
    talk, seat = adopted_later(stage, "a strange word", "another word", "new words", "a last word")
    before = until_said(talk, "typed at the desk", "a word from the model")
    stranger, _ = stage.sit(cwd=talk.cwd)
    stranger.say("I am somebody else")
    stranger.see("a strange word")
    time.sleep(STEADY)
    assert conversation(talk) == before
    talk.say("and from the phone")
    messages = until_said(talk, "and from the phone", "another word")
    assert [text for _, text in spoken(messages)] == [
        "typed at the desk",
        "a word from the model",
        "and from the phone",
        "another word",
    ]
    time.sleep(STEADY)
    assert conversation(talk) == messages
    stranger.close()
    if stage.new_file:
        new_at_the_desk(stage, talk, seat)
    talk.leave()
    seat.close()


def new_at_the_desk(stage: Stage, talk: CliSession, seat: Any) -> None:
    """A new conversation at the desk is followed, without a hook."""
    before = talk.get().body["cliSessionId"]
    seat.say(stage.new_conversation)
    seat.see(stage.begun)
    talk.idle(30)
    talk.say("once more from the phone")
    said = spoken(until_said(talk, "new words"))
    assert talk.get().body["cliSessionId"] != before
    assert ("user", "typed at the desk") not in said
    assert said[-2:] == [("user", "once more from the phone"), ("assistant", "new words")]
    seat.say("once more at the desk")
    until_said(talk, "once more at the desk", "a last word")


def taken_up_again(stage: Stage) -> None:
    """An older conversation that was taken up at the desk is followed, without a hook."""
    first, cwd = stage.sit()
    stage.testbed.model.play("I remember", "a word from the model", "another word")
    first.say("remember the milk")
    first.see("I remember")
    time.sleep(1)
    first.close()
    seat, _ = stage.sit(cwd=cwd)
    seat.say("typed at the desk")
    seat.see("a word from the model")
    talk = stage.testbed.adopt(seat.pane, cwd)
    talk.idle(30)
    before = until_said(talk, "a word from the model")
    seat.say("/resume")
    stage.pick(seat)
    seat.see("I remember")
    talk.idle(30)
    talk.say("and the bread")
    said = spoken(until_said(talk, "another word", "remember the milk"))
    assert said[-2:] == [("user", "and the bread"), ("assistant", "another word")]
    assert conversation(talk)[: len(before)] != before
    talk.leave()
    seat.close()


def streaming_text(stage: Stage) -> None:
    """An answer being written is streamed as it grows, and then sent as a message."""
    words = "\n".join(f"word{number} of many" for number in range(20))
    talk = stage.lend()
    talk.play({"parts": [{"text": words, "split": 25}], "chunk_delay": 0.1})
    talk.say("tell me a lot")
    talk.events.wait("text_delta", where=lambda data: "word3" in data["text"])
    message = talk.events.wait(
        "message", where=lambda data: data["role"] == "assistant" and "word19" in str(data)
    )
    assert message.data["content"][-1]["text"] == words
    talk.idle()


SCENARIOS = (
    as_it_was_said_and_seen,
    two_in_one_folder,
    refused_and_failed,
    after_a_restart,
    resumed,
    streaming_text,
    at_the_desk,
    taken_up_again,
)


def stored_and_resumed(stage: Stage) -> None:
    """A stored session is listed and read, and goes on when it is resumed."""
    talk = stage.own()
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    before = until_said(talk, talk.end)
    name = talk.get().body["cliSessionId"]
    client = stage.testbed.client
    (stored,) = client.get(f"/api/history?adapter={stage.adapter}&cwd={talk.cwd}").body
    assert (stored["cliSessionId"], stored["sessionId"]) == (name, talk.id)
    client.delete(talk.path)
    page = client.get(f"/api/history/{stage.adapter}/{name}").body["page"]
    assert page["messages"] == before
    later = stage.own(cwd=talk.cwd, resume=name)
    later.idle(60)
    later.play()
    later.say("and the bread")
    later.finish()
    said = spoken(until_said(later, later.end, "remember the milk"))
    assert [text for who, text in said if who == "user"] == ["remember the milk", "and the bread"]


def model_error(stage: Stage) -> None:
    """An error of the model is reported, and the session goes on."""
    talk = stage.own()
    talk.idle(60)
    talk.play({"status": 401, "error": {"error": {"message": "wrong key", "type": "auth"}}})
    talk.say("hello there")
    event = talk.events.wait("session_error", seconds=60)
    assert "wrong key" in event.data["error"]
    talk.idle()
