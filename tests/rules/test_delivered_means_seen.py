"""Rule 5: steps are written before the first key; an outcome that was not seen is not reported."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time

import pytest
from patience import at_best

from clawtap_core import Press, Steps
from clawtap_core.errors import NotConfirmed
from clawtap_core.runtime.timings import Timings


def on_disk(talk):
    """The steps that another process reads in the journal's file."""
    path = talk.demo.folder / "data" / "journal.db"
    with sqlite3.connect(path) as database:
        query = "SELECT data FROM event WHERE type = 'prompt_updated'"
        found = [row[0] for row in database.execute(query)]
    database.close()
    return [text for text in found if '"steps"' in text]


def test_steps_are_on_disk_before_each_key(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    pane, seen = talk.live.pane, []
    press, press_alone = pane.press, pane.press_alone

    def watched(key, *alone, **how):
        seen.append((key, on_disk(talk)[-1]))
        return press_alone(key, *alone, **how) if alone else press(key)

    pane.press = pane.press_alone = watched
    talk.answer(prompt, "yes-and-don-t-ask-again-for-touch")
    assert [key for key, _ in seen] == ["Down", "Enter"]
    assert all(f'"press": "{key}"' in text or f'"press":"{key}"' in text for key, text in seen)


def deaf(talk):
    """The agent does not know the key that the adapter takes for an answer."""
    talk.live.adapter.respond = lambda *_: Steps((Press("F5", deciding=True),))


def test_a_program_that_does_not_react_fails_the_prompt_once(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    deaf(talk)
    talk.live.timings = Timings(answer_leaves=0.5)
    error = talk.refused(prompt, "yes-run-it")
    assert (error.status, error.code) == (502, "not_confirmed")
    assert talk.transport.prompt(prompt.request_id).state.value == "failed"
    again = talk.prompt(prompt)
    assert again.form.description == prompt.form.description
    assert talk.refused(prompt, "yes-run-it").status == 409
    del talk.live.adapter.respond
    talk.live.timings = Timings()
    talk.answer(again, "yes-run-it")
    assert len(talk.keys()) == 2


@pytest.mark.parametrize("option", ["yes-run-it", "no-don-t-run-it"])
def test_an_answer_reaches_the_cli_within_half_a_second(demo, option):
    def arrives() -> float:
        talk = demo.show("permission")
        prompt = talk.prompt()
        began = time.monotonic()
        talk.answer(prompt, option)
        took = time.monotonic() - began
        assert len(talk.decided()) == 1
        return took

    assert at_best(0.5, arrives) < 0.5


def test_a_program_that_dies_by_the_key_ends_with_the_answer_it_was_given(demo):
    talk = demo.show("trust")
    prompt = talk.prompt()
    ended = talk.answer(prompt, "no-leave")
    assert ended.state.value == "denied"
    talk.state("ended")


def test_a_program_that_is_killed_under_an_answer_ends_prompt_and_session(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    pid = talk.pid
    respond, adapter = talk.live.adapter.respond, talk.live.adapter

    def killed(*arguments):
        os.kill(pid, signal.SIGKILL)
        return respond(*arguments)

    adapter.respond = killed
    assert talk.refused(prompt, "yes-run-it").status in (404, 409, 502)
    talk.state("ended")
    assert talk.transport.prompt(prompt.request_id).state.value in ("failed", "cancelled")
    assert talk.keys() == []


def test_a_session_that_is_ended_under_an_answer_is_gone(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    pane, press, ending = talk.pane, talk.live.pane.press_alone, []
    deaf(talk)

    def ends(key, *alone, **how):
        press(key, *alone, **how)
        ending.append(threading.Thread(target=talk.transport.end, args=(talk.id,)))
        ending[0].start()
        return True

    talk.live.pane.press_alone = ends
    with pytest.raises(NotConfirmed):
        talk.answer(prompt, "yes-run-it")
    ending[0].join()
    talk.state("ended")
    assert pane not in demo.tmux("list-panes", "-a", "-F", "#{pane_id}", check=False).split()
    assert talk.transport.prompt(prompt.request_id).state.value == "failed"


def test_nothing_typed_leaves_the_prompt_waiting(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    error = talk.refused(prompt, "no-such-option")
    assert (error.status, error.code) == (400, "not_offered")
    talk.live.adapter.respond = lambda *_: None
    assert talk.refused(prompt, "yes-run-it").code == "cannot_answer"
    assert talk.pending() == [prompt]
    assert talk.keys() == []
