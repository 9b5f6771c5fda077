"""Rules 11 and 14: messages and switches go only into an idle, empty composer."""

from __future__ import annotations

import time

import pytest
from demo_testbed import until

from clawtap_core.errors import ClawTapError

LETTERS = "yes, always approve: y a"


def test_a_message_while_a_prompt_is_open_waits_and_approves_nothing(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    sent = talk.transport.message(talk.id, LETTERS)
    assert sent.status == "queued"
    assert talk.session.queued == 1
    time.sleep(0.6)
    assert talk.keys() == []
    assert talk.pending() == [prompt]
    talk.answer(prompt, decision="deny")
    until(lambda: talk.messages() == [LETTERS])
    assert talk.decided() == [(["No, don't run it"], "")]
    until(lambda: talk.session.queued == 0)


def test_a_prompt_that_opens_while_a_message_is_typed_is_not_answered_by_it(demo):
    talk = demo.start(*demo.script([{"say": "ready"}], [{"run": "danger"}]))
    talk.state("idle")
    until(lambda: talk.live.calm_for > 0.3)
    pane = talk.live.pane
    type_text = pane.type

    def then_a_prompt_opens(text):
        type_text(text)
        pane.type = type_text
        talk.sees(LETTERS)
        talk.press("C-u", "g", "o", "Enter")
        talk.sees("Run this command?")

    pane.type = then_a_prompt_opens
    assert talk.transport.message(talk.id, LETTERS).status == "queued"
    prompt = talk.prompt()
    assert talk.decided() == []
    talk.answer(prompt, decision="deny")
    until(lambda: talk.messages() == ["go", LETTERS])


def test_what_the_desk_types_right_before_our_enter_is_not_sent_along(demo):
    talk = demo.start("--chat")
    talk.state("idle")
    until(lambda: talk.live.calm_for > 0.3)
    pane = talk.live.pane
    press_alone = pane.press_alone

    def after_a_key_of_the_desk(*arguments, **how):
        pane.press_alone = press_alone
        talk.press("x")
        return press_alone(*arguments, **how)

    pane.press_alone = after_a_key_of_the_desk
    assert talk.transport.message(talk.id, LETTERS).status == "queued"
    talk.sees(f"> {LETTERS}x")
    assert talk.messages() == []
    talk.press("BSpace")
    until(lambda: talk.messages() == [LETTERS])


def test_what_the_desk_entered_may_yet_open_what_a_message_must_not_reach(demo):
    talk = demo.start(*demo.script([{"say": "ready"}], [{"run": "danger"}]))
    talk.state("idle")
    until(lambda: talk.live.calm_for > 0.3)
    waits = [0.05]

    def it_opens_late():
        if not waits:
            return 0.0
        talk.press("g", "o", "Enter")
        talk.sees("Run this command?")
        return waits.pop()

    talk.live.pane.desk_settles_in = it_opens_late
    assert talk.transport.message(talk.id, LETTERS).status == "queued"
    assert talk.keys() == ["g", "o", "Enter"]
    talk.answer(talk.prompt(), decision="deny")
    until(lambda: talk.messages() == ["go", LETTERS])


def test_a_message_while_the_cli_is_busy_goes_after(demo):
    talk = demo.start(*demo.script([{"busy": 1.5}], [{"say": "one"}], [{"say": "two"}]))
    talk.state("busy")
    assert talk.transport.message(talk.id, "first").status == "queued"
    assert talk.transport.message(talk.id, "second").status == "queued"
    assert talk.messages() == []
    until(lambda: talk.messages() == ["first", "second"])
    until(lambda: talk.session.queued == 0)


def test_a_draft_of_the_desk_is_left_alone_until_it_is_gone(demo):
    talk = demo.start("--chat")
    talk.state("idle")
    talk.press("m", "i", "n", "e")
    talk.sees("> mine")
    assert talk.transport.message(talk.id, "from afar").status == "queued"
    time.sleep(0.6)
    assert "> mine" in talk.text()
    talk.press("Enter")
    until(lambda: talk.messages() == ["mine", "from afar"])


@pytest.mark.parametrize(
    "text",
    ["two\nlines\nand more", "Löwe 🦁 -l C-c ; $(x) `y`", "tab\there", "word " * 120, "/help me"],
)
def test_a_message_arrives_as_it_was_written(demo, text):
    talk = demo.start("--chat")
    talk.state("idle")
    assert talk.transport.message(talk.id, text).status == "sent"
    until(lambda: talk.messages() == [text.strip()])


def test_the_first_message_of_a_session_waits_for_its_start(demo):
    talk = demo.start("--chat", message="good morning")
    until(lambda: talk.messages() == ["good morning"])


def test_a_mode_is_switched_only_from_an_idle_empty_composer(demo):
    talk = demo.start(*demo.script([{"run": "danger"}], [{"busy": 60}]))
    prompt = talk.prompt()

    def refused(call):
        with pytest.raises(ClawTapError) as caught:
            call()
        return caught.value.status

    switch = [
        lambda: talk.transport.permission_mode(talk.id, "plan"),
        lambda: talk.transport.model(talk.id, "sage"),
        lambda: talk.transport.interrupt(talk.id),
    ]
    assert [refused(call) for call in switch] == [409, 409, 409]
    assert talk.keys() == []
    assert talk.recorded("action") == []
    talk.answer(prompt, decision="deny")
    talk.state("idle")
    keys = len(talk.keys())
    assert refused(switch[2]) == 409
    talk.press("d")
    talk.sees("> d")
    assert [refused(call) for call in switch[:2]] == [409, 409]
    assert talk.keys()[keys:] == ["d"]
    talk.press("C-u")
    until(lambda: talk.live.seen.draft == "")
    assert talk.transport.permission_mode(talk.id, "plan").mode == "plan"
    assert talk.transport.model(talk.id, "sage").model == "sage"
    talk.transport.message(talk.id, "be busy")
    talk.state("busy")
    assert [refused(call) for call in switch[:2]] == [409, 409]
    assert talk.transport.interrupt(talk.id).state.value == "idle"
    assert len(talk.logged("interrupted")) == 1
    done = [event.data["action"] for event in talk.recorded("action")]
    assert done == ["permission_mode", "model", "interrupt"]


def test_an_interrupt_does_not_reach_a_prompt_that_just_opened(demo):
    talk = demo.start(*demo.script([{"busy": 0.7}, {"run": "danger"}]))
    talk.state("busy")
    control, adapter = talk.live.adapter.control, talk.live.adapter

    def late(*arguments):
        steps = control(*arguments)
        talk.sees("Run this command?")
        return steps

    adapter.control = late
    with pytest.raises(ClawTapError) as caught:
        talk.transport.interrupt(talk.id)
    assert caught.value.status == 409
    assert talk.keys() == []
    assert talk.prompt()


def test_a_reason_that_has_no_field_is_the_next_message(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    talk.transport.message(talk.id, "and then this")
    talk.answer(prompt, decision="deny", reason="use another folder")
    until(lambda: talk.messages() == ["use another folder", "and then this"])


def test_a_reason_that_has_a_field_goes_there_only(demo):
    talk = demo.show("plan")
    prompt = talk.prompt()
    ended = talk.answer(prompt, decision="deny", reason="write the tests first")
    assert ended.state.value == "denied"
    again = talk.prompt(prompt)
    assert "write the tests first" in again.form.description
    assert talk.decided() == [([], "write the tests first")]
    talk.answer(again, "yes-go-ahead")
    talk.state("idle")
    time.sleep(0.5)
    assert talk.messages() == []
