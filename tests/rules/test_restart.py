"""Rule 9: the server may die at any moment, and nothing is typed twice or lost by it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from demo_testbed import DemoSession, until

HERE = Path(__file__).parent
CHOSEN = "Yes, and don't ask again for touch"


class Doomed:
    """Another process that runs ClawTap, until it dies."""

    def __init__(self, demo, moment, *flags):
        self.demo, self.log = demo, demo.log_file()
        lab = HERE.parent / "lab"
        what = (str(HERE / "killed.py"), demo.socket, str(demo.folder), moment)
        self.process = subprocess.Popen(
            [sys.executable, *what, "--delay", "0", "--log", str(self.log), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(lab)},
        )
        self.ids = json.loads(self.process.stdout.readline())

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def dead(self):
        """Wait for its end, or bring it about."""
        self.process.wait(60)
        self.process.stdout.close()
        self.process.stdin.close()

    def again(self):
        """ClawTap starts again, here."""
        self.demo.open()
        return DemoSession(self.demo, self.ids["session"], self.log)


@pytest.fixture
def doomed(empty_room):
    started = []

    def start(moment, *flags):
        started.append(Doomed(empty_room, moment, *flags))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.dead()


def state(talk, doomed):
    return talk.transport.prompt(doomed.ids["prompt"]).state.value


def finish(talk, doomed):
    """Answer what still waits, and see that the agent got one answer to each prompt."""
    if not talk.decided():
        talk.answer(talk.prompt(), "yes-and-don-t-ask-again-for-touch")
        until(talk.decided)
    assert [labels for labels, _ in talk.decided()][:1] == [[CHOSEN]]
    talk.sees("repeat itself")
    assert talk.keys().count("Enter") == 1


def test_a_pending_prompt_keeps_its_id_and_is_answered(doomed):
    one = doomed("never", "--show", "permission,loop")
    one.process.kill()
    one.dead()
    talk = one.again()
    (prompt,) = talk.pending()
    assert prompt.request_id == one.ids["prompt"]
    assert talk.answer(prompt, "yes-and-don-t-ask-again-for-touch").state.value == "answered"
    finish(talk, one)


def test_an_answer_whose_steps_were_not_written_was_not_typed(doomed):
    one = doomed("before-steps", "--show", "permission,loop")
    one.go()
    one.dead()
    talk = one.again()
    assert talk.keys() == []
    assert state(talk, one) == "pending"
    finish(talk, one)


@pytest.mark.parametrize("moment", ["before-key", "after-key", "before-outcome"])
def test_an_answer_that_may_have_been_typed_is_failed_and_not_typed_again(doomed, moment):
    one = doomed(moment, "--show", "permission,loop")
    one.go()
    one.dead()
    talk = one.again()
    assert state(talk, one) == "failed"
    prompt = talk.prompt()
    assert prompt.request_id != one.ids["prompt"]
    keys = talk.keys()
    time.sleep(0.5)
    assert talk.keys() == keys == (["Down"] if moment == "before-key" else ["Down", "Enter"])
    if moment == "before-key":
        finish(talk, one)


@pytest.mark.slow
@pytest.mark.timeout(90)
@pytest.mark.parametrize("seed", range(6))
def test_at_a_random_moment_nothing_is_typed_twice_or_lost(doomed, seed):
    one = doomed("never", "--show", "permission,loop")
    one.go()
    time.sleep(random.Random(seed).uniform(0, 0.06))
    one.process.kill()
    one.dead()
    talk = one.again()
    found = state(talk, one)
    assert found in ("pending", "failed", "answered")
    if found == "answered":
        assert talk.decided() == [([CHOSEN], "")]
    elif not talk.decided():
        waits = until(lambda: [p for p in talk.pending() if p.form.tool_name])[0]
        assert (waits.request_id == one.ids["prompt"]) == (found == "pending")
        finish(talk, one)
    assert talk.keys().count("Enter") == 1


def test_what_the_desk_did_meanwhile_was_answered_elsewhere(doomed):
    one = doomed("never", "--show", "permission,loop")
    one.process.kill()
    one.dead()
    pane = one.demo.tmux("list-panes", "-a", "-F", "#{pane_id}").split()[0]
    one.demo.tmux("send-keys", "-t", pane, "y")
    until(lambda: "repeat itself" in one.demo.tmux("capture-pane", "-p", "-t", pane))
    talk = one.again()
    until(lambda: state(talk, one) == "answered_elsewhere")
    assert talk.prompt().form.kind.value == "loop-detected"


def test_a_cli_that_ended_meanwhile_has_ended(doomed):
    one = doomed("never", "--show", "permission")
    one.process.kill()
    one.dead()
    pane = one.demo.tmux("list-panes", "-a", "-F", "#{pane_id}").split()[0]
    # With its last pane the whole server ends, and what ran in it is lost.
    one.demo.tmux("new-session", "-d", "cat")
    one.demo.tmux("kill-pane", "-t", pane)
    talk = one.again()
    talk.state("ended")
    assert state(talk, one) == "cancelled"


@pytest.mark.parametrize("moment", ["before-steps", "before-key", "after-key", "before-outcome"])
def test_a_message_reaches_the_agent_once_or_stays_queued_or_is_reported(doomed, moment):
    one = doomed(moment, "--chat")
    one.go()
    one.dead()
    talk = one.again()
    words = "message_not_confirmed"
    if moment == "before-steps":
        until(lambda: talk.messages() == ["say it once"])
    else:
        until(lambda: [e for e in talk.recorded("session_error") if e.data["code"] == words])
    talk.state("idle")
    until(lambda: list(talk.transport.queue(talk.id)) == [])
    assert talk.messages() == ([] if moment == "before-key" else ["say it once"])


def test_a_second_clawtap_on_the_same_data_is_refused(doomed, empty_room):
    one = doomed("never", "--show", "permission")
    with pytest.raises(Exception, match="another") as caught:
        empty_room.open()
    assert caught.value.code
    assert one
