"""Rules 3 and 4: the screen is read again before a key, and the cursor where it really is."""

from __future__ import annotations

import os
import signal
import time

import pytest
from patience import never, until


def test_a_prompt_that_changed_since_it_was_seen_gets_no_key(demo):
    talk = demo.show("permission", "edit")
    first = talk.prompt()

    def the_desk_is_faster():
        talk.press("y")
        until(lambda: len(talk.logged("painted")) == 2)

    talk.at_the_next_answer(the_desk_is_faster)
    error = talk.refused(first, "no-don-t-run-it")
    assert (error.status, error.code) == (409, "prompt_changed")
    assert talk.ended(first).state.value == "answered_elsewhere"
    assert talk.keys() == ["y"]
    assert talk.prompt(first).form.tool_name == "edit_file"


def test_an_option_that_is_no_longer_offered_gets_no_key(demo):
    talk = demo.start(*demo.script([{"run": "a"}, {"plan": "1. b"}]))
    first = talk.prompt()
    with talk.live.typing():
        talk.press("y")
        talk.sees("Is this plan all right?")
    error = talk.refused(first, "yes-run-it")
    assert error.status == 409
    assert talk.keys() == ["y"]


def test_the_cursor_is_moved_from_where_the_desk_left_it(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()
    talk.press("Down", "Down")
    talk.sees("❯ No")
    talk.answer(prompt, "yes-and-don-t-ask-again-for-touch")
    assert talk.decided() == [(["Yes, and don't ask again for touch"], "")]
    assert talk.keys() == ["Down", "Down", "Up", "Enter"]


def test_a_cursor_that_is_moved_while_the_answer_is_thought_of_is_read_again(demo):
    talk = demo.show("permission")
    prompt = talk.prompt()

    def the_desk_moves():
        talk.press("Down", "Down")
        talk.sees("❯ No")

    talk.at_the_next_answer(the_desk_moves)
    talk.answer(prompt, "yes-run-it")
    assert talk.decided() == [(["Yes, run it"], "")]


def test_a_hidden_option_is_found_wherever_the_list_was_scrolled_to(demo):
    talk = demo.show("list", "list")
    first = talk.prompt()
    whole = talk.transport.expand(talk.id, first.request_id)
    labels = [option.label for option in whole.form.questions[0].options]
    assert (labels[0], labels[-1], len(labels)) == ("red", "gold", 14)
    assert not whole.form.more_options
    assert talk.decided() == []
    talk.press("PageDown", "PageDown")
    talk.sees("❯ white")
    talk.answer(first, answers={"0": "red"})
    second = talk.prompt(first)
    assert "expand" in talk.refused(second, answers={"0": "gold"}).message
    talk.transport.expand(talk.id, second.request_id)
    talk.answer(second, answers={"0": "gold"})
    assert [labels for labels, _ in talk.decided()] == [["red"], ["gold"]]


def test_a_list_that_was_read_whole_stays_whole_and_where_it_stood(demo):
    talk = demo.show("list")
    first = talk.prompt()
    talk.press("Down", "Down")
    talk.sees("❯ yellow")
    whole = talk.transport.expand(talk.id, first.request_id)
    assert "❯ yellow" in talk.text()
    talk.press("PageDown")
    talk.sees("▲")
    assert talk.pending()[0].form.questions == whole.form.questions
    assert [event.data["steps"] for event in talk.recorded("action_typed")]


def test_a_list_cannot_be_read_after_it_was_answered(demo):
    talk = demo.show("list", "loop")
    first = talk.prompt()
    with talk.live.typing():
        talk.press("Enter")
        talk.sees("repeat itself")
    with pytest.raises(Exception, match="cannot be expanded") as caught:
        talk.transport.expand(talk.id, first.request_id)
    assert caught.value.status == 409
    assert talk.keys() == ["Enter"]


def test_a_cli_that_exited_to_the_shell_ends_its_session_and_its_prompt(demo):
    pane, log = demo.desk("--show", "permission", shell=True)
    until(lambda: "Run this command?" in demo.tmux("capture-pane", "-p", "-t", pane))
    talk = demo.adopt(pane, log)
    prompt = talk.prompt()
    os.kill(talk.pid, signal.SIGKILL)
    talk.state("ended")
    assert talk.transport.prompt(prompt.request_id).state.value == "cancelled"
    assert talk.refused(prompt, "yes-run-it").status == 409
    assert demo.tmux("display-message", "-p", "-t", pane, "#{pane_dead}") == "0"
    assert talk.keys() == []


@pytest.mark.parametrize("seconds", [0.0, 0.3, 2.5])
def test_a_cli_that_a_script_starts_again_gets_no_answer_to_the_one_before(demo, seconds):
    pane, log = demo.desk("--show", "permission", in_a_loop=True)
    until(lambda: "Run this command?" in demo.tmux("capture-pane", "-p", "-t", pane))
    talk = demo.adopt(pane, log)
    prompt = talk.prompt()
    until(lambda: not talk.live.pane._reader.settles_in)
    os.kill(talk.pid_below_shell, signal.SIGKILL)
    time.sleep(seconds)  # what it drew may stand there until the next one paints over it
    assert talk.refused(prompt, "yes-run-it").status == 409
    again = talk.prompt(prompt)
    assert (talk.keys(), talk.ended(prompt).state.value) == ([], "cancelled")
    # While it starts, a program that it runs for a moment may have its terminal.
    until(lambda: not talk.live.pane._reader.is_gone())
    talk.answer(again, "yes-run-it")
    assert talk.decided() == [(["Yes, run it"], "")]


def test_a_cli_that_is_stopped_waits_on_and_its_shell_gets_no_key(demo):
    pane, log = demo.desk("--show", "permission", shell=True)
    until(lambda: "Run this command?" in demo.tmux("capture-pane", "-p", "-t", pane))
    talk = demo.adopt(pane, log)
    prompt = talk.prompt()
    os.kill(talk.pid, signal.SIGSTOP)
    talk.sees("Stopped")
    error = talk.refused(prompt, "yes-run-it")
    assert (error.status, error.code) == (409, "prompt_changed")
    until(lambda: talk.live.pane.runs_cli() is False)
    demo.tmux("send-keys", "-t", pane, "fg", "Enter")
    until(talk.live.pane.runs_cli)
    until(lambda: talk.live.adapter.detect_prompt(talk.screen()))
    assert talk.pending() == [prompt]
    talk.answer(prompt, "yes-run-it")
    assert talk.decided() == [(["Yes, run it"], "")]


def test_a_stopped_cli_is_no_unknown_prompt(demo):
    pane, log = demo.desk("--chat", shell=True)
    talk = demo.adopt(pane, log)
    talk.state("idle")
    os.kill(talk.pid, signal.SIGSTOP)
    talk.sees("Stopped")
    never(talk.pending, 3.0, lambda: f"a prompt of {talk.session} on\n{talk.text()}\n")


def test_secrets_and_texts_reach_the_field_as_they_are(demo):
    talk = demo.show("text", "secret")
    first = talk.prompt()
    text = "Löwe 🦁 $(rm) `x` ; 'quoted' \"twice\" -l C-c Enter"
    talk.answer(first, answers={"0": text})
    second = talk.prompt(first)
    talk.answer(second, text_value="C-c")
    assert [typed for _, typed in talk.decided()] == [text, "C-c"]
