"""What becomes of panes: moved, renamed, scrolled back, closed; a tmux server that dies."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from demo_testbed import DemoSession, until

from clawtap_core.errors import ClawTapError, Conflict


def test_a_pane_in_copy_mode_is_answered(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    demo.tmux("copy-mode", "-t", talk.pane)
    demo.tmux("send-keys", "-t", talk.pane, "-X", "history-top")
    talk.answer(prompt, "yes-and-don-t-ask-again-for-touch")
    assert talk.decided() == [(["Yes, and don't ask again for touch"], "")]


def test_a_prompt_that_opens_behind_copy_mode_is_seen(demo):
    talk = demo.start(*demo.script([{"busy": 1.0}, {"run": "later"}]))
    talk.state("busy")
    demo.tmux("copy-mode", "-t", talk.pane)
    assert talk.prompt().form.description == "later"


def test_a_pane_that_moves_to_another_session_is_followed(demo):
    talk = demo.start(*demo.script([{"run": "one"}, {"run": "two"}]))
    first = talk.prompt()
    demo.tmux("new-session", "-d", "-s", "elsewhere", "-x", "80", "-y", "24", "sleep", "100")
    demo.tmux("join-pane", "-s", talk.pane, "-t", "elsewhere:")
    until(lambda: talk.screen().rows < 24)
    assert [prompt.request_id for prompt in talk.pending()] == [first.request_id]
    talk.answer(first, "yes-run-it")
    second = talk.prompt(first)
    joined = talk.screen().rows
    demo.tmux("break-pane", "-s", talk.pane)
    until(lambda: talk.screen().rows > joined)
    # The demo draws its history above again: before, an answer would count as in doubt.
    until(lambda: "Hello!" in talk.live.sighting.screen.text)
    talk.answer(second, "yes-run-it")
    assert len(talk.decided()) == 2


def test_a_renamed_tmux_session_is_the_same(demo):
    talk = demo.start(*demo.script([{"run": "one"}, {"run": "two"}]))
    first = talk.prompt()
    demo.tmux("rename-session", "-t", talk.pane, "other name")
    talk.answer(first, "yes-run-it")
    talk.answer(talk.prompt(first), "yes-run-it")
    assert len(talk.decided()) == 2


def test_a_prompt_of_a_cli_that_is_killed_says_so(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    os.kill(talk.live.pane.group, signal.SIGKILL)
    talk.state("ended")
    ended = talk.transport.prompt(prompt.request_id)
    assert (ended.state.value, ended.resolution.detail) == ("cancelled", "ended by signal 9")


def test_a_closed_pane_ends_its_session_and_cancels_its_prompt(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    demo.tmux("kill-pane", "-t", talk.pane)
    talk.state("ended")
    assert talk.transport.prompt(prompt.request_id).state.value == "cancelled"
    assert talk.refused(prompt, "yes-run-it").code == "already_answered"


def test_a_killed_tmux_server_loses_its_sessions_and_nothing_else(demo):
    talks = [demo.show("permission"), demo.start("--chat")]
    prompt = talks[0].prompt()
    talks[1].state("idle")
    demo.tmux("kill-server")
    for talk in talks:
        talk.state("lost")
    assert talks[0].transport.prompt(prompt.request_id).state.value == "cancelled"
    new = demo.show("permission")
    new.answer(new.prompt(), "yes-run-it")
    assert new.decided() == [(["Yes, run it"], "")]
    assert [pane.pane for pane in demo.transport().panes()] == []


def test_an_adopted_pane_is_let_go_and_lives_on(demo):
    pane, log = demo.desk("--show", "permission")
    talk = demo.adopt(pane, log)
    prompt = talk.prompt()
    assert demo.transport().panes() == []
    talk.transport.end(talk.id)
    talk.state("ended")
    assert talk.transport.prompt(prompt.request_id).state.value == "cancelled"
    assert "Run this command?" in demo.tmux("capture-pane", "-p", "-t", pane)
    again = demo.adopt(pane, log)
    again.answer(again.prompt(), "yes-run-it")
    assert len(again.decided()) == 1


def test_a_pane_is_adopted_once(demo):
    pane, log = demo.desk("--chat")
    outcomes = []

    def adopt():
        try:
            outcomes.append(demo.transport().adopt(pane))
        except ClawTapError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=adopt) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(each, Conflict) for each in outcomes) == 4
    with pytest.raises(Conflict):
        demo.transport().adopt(pane)
    assert log


def test_a_program_that_a_script_has_only_just_started_is_recognised(demo):
    pane, log = demo.desk("--show", "permission", after=0.5)
    session = demo.transport().adopt(pane)
    assert session.adapter == "demo"
    assert DemoSession(demo, session.id, log).prompt().form.title == "Run this command?"


def test_an_ended_session_is_taken_off_the_list(demo):
    talk = demo.show("permission")
    talk.prompt()
    pane = talk.pane
    talk.transport.end(talk.id)
    assert talk.session.state.value == "ended"
    assert pane not in demo.tmux("list-panes", "-a", "-F", "#{pane_id}", check=False).split()
    talk.transport.end(talk.id)
    assert demo.transport().sessions() == []
    with pytest.raises(ClawTapError):
        talk.transport.end(talk.id)


def test_the_session_of_a_program_that_fails_at_once_says_why(demo):
    talk = demo.start("--show", "no-such-prompt")
    talk.state("ended")
    assert "no such prompt" in talk.session.detail
    until(lambda: "demo" not in demo.tmux("list-panes", "-a", check=False))


def test_input_that_is_off_or_shared_is_reported_and_nothing_typed(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    demo.tmux("select-pane", "-d", "-t", talk.pane)
    assert talk.refused(prompt, "yes-run-it").code == "pane_input_off"
    demo.tmux("select-pane", "-e", "-t", talk.pane)
    assert talk.pending() == [prompt]
    talk.answer(prompt, "yes-run-it")


def test_ten_sessions_are_answered_at_once(demo):
    talks = [demo.show("permission") for _ in range(10)]
    prompts = [talk.prompt() for talk in talks]
    every_answer = threading.Barrier(10)
    for talk in talks:
        talk.at_the_next_answer(lambda: every_answer.wait(60))
    threads = [
        threading.Thread(target=talk.answer, args=(prompt, "yes-run-it"))
        for talk, prompt in zip(talks, prompts, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not every_answer.broken
    assert all(talk.decided() == [(["Yes, run it"], "")] for talk in talks)
    assert list(demo.transport().pending()) == []
