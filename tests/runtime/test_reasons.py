"""The reason of an answer goes into the CLI's own field or is the next message, never both."""

from __future__ import annotations

from dataclasses import replace

from fake_terminal import Toy, until

from clawtap_core import Press, Response, Steps


def test_a_reason_for_which_a_field_was_found_on_the_way_is_no_message_too(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("n", deciding=True),), done=True, reason_given=True)
    desk.toy._answer = lambda key: desk.toy._choose("No") if key == "n" else None
    ended = desk.transport().respond(
        desk.session_id, Response(prompt.request_id, decision="deny", reason="rather b")
    )
    assert ended.form.takes_reason
    desk.until_idle()
    assert desk.queued() == []
    assert desk.toy.messages == []


def asked_with_a_field_for_the_reason(desk):
    """The open prompt, whose form has been given a field for the reason of a refusal."""
    prompt = desk.prompt()
    live = desk.agent.sessions.running[desk.session_id]
    live.current_prompt.update(prompt.request_id, replace(prompt.form, takes_reason=True))
    return prompt


def test_a_reason_that_does_not_fit_into_its_field_is_the_next_message(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = asked_with_a_field_for_the_reason(desk)
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    adapter.respond = lambda *_: Steps((Press("n", deciding=True),), done=True, reason_left=True)
    desk.toy._answer = lambda key: desk.toy._choose("No") if key == "n" else None
    desk.transport().respond(
        desk.session_id, Response(prompt.request_id, decision="deny", reason="rather b")
    )
    until(lambda: desk.toy.messages == ["rather b"])


def test_the_field_for_the_reason_of_a_refusal_takes_none_of_an_approval(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = asked_with_a_field_for_the_reason(desk)
    desk.transport().respond(
        desk.session_id, Response(prompt.request_id, decision="approve", reason="and then b")
    )
    until(lambda: desk.toy.messages == ["and then b"])


def test_a_reason_that_the_prompt_has_a_field_for_is_no_message_too(open_desk):
    desk = open_desk(Toy("text"))
    prompt = desk.prompt()
    desk.transport().respond(
        desk.session_id, Response(prompt.request_id, decision="deny", reason="rather b")
    )
    desk.until_idle()
    assert desk.queued() == []
    assert desk.toy.messages == []


def test_a_field_that_was_announced_behind_the_key_took_no_reason(open_desk):
    """Seen on Claude Code 2.1.85 beside four loops, which paints the line that offers it last."""
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.agent.sessions.running[desk.session_id].adapter
    respond = adapter.respond

    def announced_meanwhile(*asked):
        asked_with_a_field_for_the_reason(desk)
        return respond(*asked)

    adapter.respond = announced_meanwhile
    desk.transport().respond(
        desk.session_id, Response(prompt.request_id, decision="deny", reason="rather b")
    )
    until(lambda: desk.toy.messages == ["rather b"])
