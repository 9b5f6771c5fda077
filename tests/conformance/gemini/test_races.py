"""Several who answer, a server that dies, a pane that changes its size."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from clilab import gemini_turns as turns


def test_an_answer_at_the_desk_is_told_and_a_late_one_types_nothing(talk):
    prompt = talk.do(turns.shell("touch desk.txt"))
    talk.seat.press("1")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    late = talk.approve(prompt)
    assert late.status == 409, late
    talk.outputs()
    talk.finish()
    talk.seat.see("Type your message")


def test_a_refusal_at_the_desk_is_told_too(talk):
    prompt = talk.do(turns.shell("touch desk-no.txt"))
    talk.seat.press("Escape")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    talk.idle()
    assert not (talk.cwd / "desk-no.txt").exists()


def test_of_two_devices_at_once_one_wins(talk):
    prompt = talk.do(turns.shell("date >> devices.txt"))
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: talk.approve(prompt), range(4)))
    assert sorted(reply.status for reply in replies) == [200, 409, 409, 409]
    talk.outputs()
    talk.finish()
    assert len((talk.cwd / "devices.txt").read_text().splitlines()) == 1


def test_a_second_answer_says_who_was_first(talk):
    prompt = talk.do(turns.shell("touch second.txt"))
    assert talk.approve(prompt).status == 200
    second = talk.deny(prompt)
    assert second.status == 409
    assert second.body["details"]
    talk.finish()


def test_a_resized_pane_still_shows_one_prompt(talk):
    prompt = talk.do(turns.shell("touch resized.txt"))
    for cols, rows in ((80, 24), (140, 45), (120, 40)):
        talk.seat.resize(cols, rows)
        # The CLI draws anew; whatever comes of it within this time must be the same prompt.
        with pytest.raises(AssertionError, match="no approval_required"):
            talk.prompt(seconds=1.0)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_prompt_outlives_a_killed_server_with_its_id(talk):
    prompt = talk.do(turns.shell("touch killed.txt"))
    talk.testbed.served.kill()
    talk.events.close()
    talk.testbed.served.start()
    talk.listen()
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "killed.txt").exists()


def test_a_prompt_answered_while_the_server_was_down_was_answered_elsewhere(talk):
    prompt = talk.do(turns.shell("touch down.txt"))
    talk.testbed.served.kill()
    talk.events.close()
    talk.seat.press("1")
    talk.seat.see(talk.end)
    talk.testbed.served.start()
    talk.listen()
    asked = f"/api/prompts/{prompt['requestId']}"
    talk.until(lambda _: talk.testbed.client.get(asked).body["state"] == "answered_elsewhere")
    talk.idle()


def test_the_stream_goes_on_where_it_was_left(talk):
    first = talk.do(turns.shell("touch replay.txt"))
    last = next(event.id for event in reversed(talk.events.seen) if event.id)
    talk.events.close()
    assert talk.approve(first).status == 200
    talk.events = talk.testbed.client.events(f"{talk.path}/events", after=last)
    assert talk.resolved(first)["state"] == "answered"
    assert "snapshot" not in [event.type for event in talk.events.seen]
    talk.finish()
