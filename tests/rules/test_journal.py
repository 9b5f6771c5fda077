"""Rule 10: everything is in the journal, secrets are nowhere; and the stream tells it all once."""

from __future__ import annotations

import itertools

import pytest
from demo_testbed import until

SECRET = "hunter2-correct-horse"


def files(demo):
    return [path for path in (demo.folder / "data").rglob("*") if path.is_file()]


def test_prompt_answer_actor_steps_and_outcome_are_there(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    talk.answer(prompt, "yes-and-don-t-ask-again-for-touch", by="ann")
    appeared, *typed, resolved = [
        event for event in talk.recorded() if event.data.get("requestId") == prompt.request_id
    ]
    assert appeared.type == "approval_required"
    assert appeared.data["toolInput"] == {"command": "touch made.txt && ls -la"}
    assert [event.data["steps"][0]["press"] for event in typed] == ["Down", "Enter"]
    assert resolved.type == "prompt_resolved"
    resolution = resolved.data["resolution"]
    assert (resolution["by"], resolution["device"]) == ("ann", "phone")
    assert resolution["response"]["selectedOption"] == "yes-and-don-t-ask-again-for-touch"
    assert appeared.at < typed[0].at < resolved.at


def of_prompt(talk, prompt):
    """What the journal tells of the steps to one prompt: typed, or withheld and why."""
    reported = [event for event in talk.recorded("prompt_updated") if "requestId" in event.data]
    return [
        (
            name,
            [step["press"] for step in event.data[name] if "press" in step],
            event.data.get("reason"),
        )
        for event in reported
        if event.data["requestId"] == prompt.request_id
        for name in ("steps", "withheld")
        if name in event.data
    ]


def test_keys_that_the_moved_cursor_kept_back_are_not_recorded_as_typed(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()

    def the_desk_moves():
        talk.press("Down", "Down")
        talk.sees("❯ No")

    # As where tmux does not report the desk's keys: only the screen tells of them.
    talk.live.pane.desk_settles_in = lambda: 0.0
    talk.at_the_next_answer(the_desk_moves)
    talk.answer(prompt, "yes-run-it")
    written, withheld, *typed = of_prompt(talk, prompt)
    assert written == ("steps", ["Enter"], None)
    assert withheld == ("withheld", ["Enter"], "what the keys were meant for moved on the screen")
    pressed = [key for name, keys, _ in typed if name == "steps" for key in keys]
    assert talk.keys() == ["Down", "Down", *pressed]


def test_keys_that_another_prompt_kept_back_are_recorded_with_the_reason(demo):
    talk = demo.show("permission", "edit")
    prompt = talk.prompt()

    def the_desk_is_faster():
        talk.press("y")
        until(lambda: len(talk.logged("painted")) == 2)

    # As where tmux does not report the desk's keys: only the screen tells of them.
    talk.live.pane.desk_settles_in = lambda: 0.0
    talk.at_the_next_answer(the_desk_is_faster)
    error = talk.refused(prompt, "yes-run-it")
    reason = "the screen no longer shows what the keys were meant for"
    assert of_prompt(talk, prompt) == [("steps", ["Enter"], None), ("withheld", ["Enter"], reason)]
    assert f"keys were withheld: {reason}" in error.message
    assert talk.keys() == ["y"]


def test_keys_messages_and_switches_are_there(demo):
    talk = demo.start("--chat")
    talk.state("idle")
    talk.transport.message(talk.id, "hello")
    until(lambda: talk.messages() == ["hello"])
    talk.state("idle")
    talk.transport.permission_mode(talk.id, "plan")
    screen = talk.screen()
    talk.transport.keys(talk.id, screen.revision, text=SECRET)
    kinds = [event.type for event in talk.recorded()]
    for kind in ("message_queued", "message_typed", "message_sent", "action", "action_typed"):
        assert kind in kinds
    (keys,) = talk.recorded("keys")
    assert (keys.data["by"], keys.data["characters"]) == ("ann", len(SECRET))
    demo.close()
    assert all(SECRET.encode() not in path.read_bytes() for path in files(demo))


def test_what_becomes_of_a_queued_message_is_there(demo):
    talk = demo.show("permission")
    talk.prompt()
    first = talk.transport.message(talk.id, "one").message_id
    second = talk.transport.message(talk.id, "two").message_id
    talk.transport.edit_queued(talk.id, first, "eins")
    demo.transport("bob", "laptop").take_back(talk.id, second)
    (edited,), (taken,) = talk.recorded("message_edited"), talk.recorded("message_taken_back")
    assert (edited.data["message"], edited.data["by"]) == ("eins", "ann")
    assert (taken.data["messageId"], taken.data["by"]) == (second, "bob")
    talk.answer(talk.pending()[0], decision="deny")
    until(lambda: talk.messages() == ["eins"])
    (sent,) = until(lambda: talk.recorded("message_sent"))
    assert sent.data["message"] == "eins"


def test_a_secret_is_in_no_file(demo):
    talk = demo.show("secret", "permission")
    prompt = talk.prompt()
    assert prompt.form.questions[0].secret
    ended = talk.answer(prompt, answers={"0": SECRET})
    assert ended.resolution.response.answers == {}
    assert talk.decided() == [([], SECRET)]
    talk.prompt(prompt)
    assert all(SECRET.encode() not in path.read_bytes() for path in files(demo))
    assert files(demo)
    demo.close()
    assert all(SECRET.encode() not in path.read_bytes() for path in files(demo))


def test_a_secret_that_could_not_be_delivered_is_in_no_file_either(demo, caplog):
    talk = demo.show("secret")
    prompt = talk.prompt()
    talk.live.adapter.respond = None
    with pytest.raises(TypeError) as caught:
        talk.answer(prompt, answers={"0": SECRET})
    assert SECRET not in str(caught.value)
    talk.refused(prompt, "no-such", answers={"7": SECRET})
    demo.close()
    assert all(SECRET.encode() not in path.read_bytes() for path in files(demo))
    assert SECRET not in caplog.text


def test_a_session_that_does_nothing_writes_nothing(demo):
    talks = [demo.start("--chat", "--spinner"), demo.show("unknown"), demo.show("busy")]
    talks[1].prompt()
    talks[2].state("busy")
    talks[0].state("busy")
    # Once in its life the version of its CLI becomes known.
    until(lambda: all(talk.session.cli_version for talk in talks))
    last = demo.agent.store.journal.last
    revision = talks[0].screen().revision
    until(lambda: talks[0].screen().revision > revision + 10)
    assert demo.agent.store.journal.read(last) == []


def read(demo, after=None, session=None, idle=0.4):
    """What a reader gets until nothing comes any more."""
    reader = demo.transport().events(after, session_id=session, idle=idle)
    found = list(itertools.takewhile(bool, reader))
    reader.close()
    return found


def test_a_reader_gets_each_event_once_over_a_restart(empty_room):
    demo = empty_room
    demo.open()
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    first = read(demo, f"{demo.agent.store.journal.epoch}-0")
    cursor = f"{demo.agent.store.journal.epoch}-{first[-1].seq}"
    demo.close()
    demo.open()
    talk.answer(prompt, "yes-run-it")
    talk.prompt(prompt)
    later = read(demo, cursor)
    seqs = [event.seq for event in (*first, *later) if event.seq]
    assert seqs == list(range(1, demo.agent.store.journal.last + 1))
    assert "prompt_resolved" in [event.type for event in later]


def test_a_new_reader_gets_a_snapshot_that_fits_what_follows(demo):
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    reader = demo.transport().events(idle=1.0)
    snapshot = next(reader)
    assert [p["requestId"] for p in snapshot.data["prompts"]] == [prompt.request_id]
    talk.answer(prompt, "yes-run-it")
    talk.prompt(prompt)
    follows = list(itertools.takewhile(bool, reader))
    reader.close()
    seqs = [event.seq for event in follows if event.seq]
    assert seqs == list(range(snapshot.seq + 1, demo.agent.store.journal.last + 1))


def test_a_reader_of_one_session_gets_only_its_events(demo):
    one, two = demo.show("permission"), demo.show("edit")
    one.prompt()
    two.prompt()
    found = read(demo, f"{demo.agent.store.journal.epoch}-0", session=one.id)
    assert {event.session_id for event in found} == {one.id}
