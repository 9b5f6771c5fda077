"""What happens between a look and a key, and between an answer and its outcome."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest
from fake_terminal import Toy, until

from clawtap_core import PromptState, Response, SessionState
from clawtap_core.errors import ClawTapError, Conflict, NotConfirmed, NotFound
from clawtap_core.runtime.panes import manager
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import EndCause, PaneEnd


def approve(prompt, option="yes"):
    return Response(prompt.request_id, selected_option=option)


def ended(desk, prompt):
    return until(lambda: (p := desk.transport().prompt(prompt.request_id)).resolution and p)


class Doing(threading.Thread):
    """A call in a thread; what it gave or raised."""

    def __init__(self, call):
        super().__init__()
        self.call, self.result, self.error = call, None, None
        self.start()

    def run(self):
        try:
            self.result = self.call()
        except Exception as error:
            self.error = error

    def outcome(self):
        self.join(60)
        assert not self.is_alive()
        return self.error or self.result


def test_an_answer_that_waits_for_its_turn_does_not_go_to_the_next_prompt_of_the_same_words(
    open_desk,
):
    desk = open_desk(Toy("touch a", "touch a"))
    first = desk.prompt()
    with desk.live.typing_lock:
        answering = Doing(lambda: desk.transport().respond(desk.session_id, approve(first)))
        until(lambda: desk.transport().prompt(first.request_id).state is PromptState.ANSWERING)
        desk.toy.choose("No")
        desk.show()
        assert ended(desk, first).state is PromptState.ANSWERED_ELSEWHERE
    error = answering.outcome()
    assert isinstance(error, Conflict)
    assert desk.toy.keys == []
    assert desk.toy.decided == ["touch a: No"]


def test_an_answer_to_a_prompt_followed_unseen_by_its_like_types_nothing(open_desk):
    desk = open_desk(Toy("touch a", "touch a"))
    first = desk.prompt()
    desk.toy.choose("No")
    with pytest.raises(Conflict) as caught:
        desk.transport().respond(desk.session_id, approve(first))
    assert caught.value.code == "prompt_changed"
    assert desk.toy.keys == []
    assert desk.prompt().request_id != first.request_id


def test_what_was_answered_elsewhere_is_not_reported_with_another_answer(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    with desk.live.typing_lock:
        answering = Doing(lambda: desk.transport().respond(desk.session_id, approve(prompt)))
        until(lambda: desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERING)
        desk.toy.choose("No")
        desk.show()
        resolution = ended(desk, prompt).resolution
    assert isinstance(answering.outcome(), Conflict)
    assert resolution.response is None
    assert resolution.by == "someone"


def test_a_cursor_moved_by_the_desk_after_the_look_does_not_choose_another_option(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    respond = desk.live.adapter.respond
    moved = []

    def slow(*arguments):
        steps = respond(*arguments)
        if not moved:
            moved.append(True)
            desk.toy.row = 2
            desk.show()
        return steps

    desk.live.adapter.respond = slow
    desk.transport().respond(desk.session_id, approve(prompt))
    assert desk.toy.decided == ["touch a: Yes"]


def test_a_prompt_that_changed_while_the_adapter_thought_gets_no_key(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    respond = desk.live.adapter.respond

    def slow(*arguments):
        steps = respond(*arguments)
        desk.toy.asks[0] = "rm -rf /"
        desk.show()
        return steps

    desk.live.adapter.respond = slow
    with pytest.raises(Conflict):
        desk.transport().respond(desk.session_id, approve(prompt))
    assert desk.toy.keys == []
    assert desk.prompt().form.description == "rm -rf /"
    assert desk.journal.kept().prompts[0].form.description == "rm -rf /"


@pytest.mark.parametrize(
    ("end", "option", "state"),
    [
        (PaneEnd(status=0), "yes", PromptState.ANSWERED),
        (PaneEnd(status=1), "yes", PromptState.FAILED),
        (PaneEnd(status=1), "no", PromptState.DENIED),
        (PaneEnd(signal="9"), "no", PromptState.FAILED),
        (PaneEnd(EndCause.CLOSED), "yes", PromptState.FAILED),
        (PaneEnd(EndCause.CLOSED), "no", PromptState.DENIED),
    ],
)
def test_an_exit_is_the_outcome_of_an_answer_where_it_can_be(open_desk, end, option, state):
    desk = open_desk(Toy("touch a"))
    desk.toy.row = {"yes": 0, "no": 2}[option]
    prompt = desk.prompt()

    def exits(key):
        desk.toy.keys.append(key)
        desk.pane.die(end)

    desk.toy.key = exits
    answering = Doing(lambda: desk.transport().respond(desk.session_id, approve(prompt, option)))
    assert isinstance(answering.outcome(), NotConfirmed) == (state is PromptState.FAILED)
    assert desk.transport().prompt(prompt.request_id).state is state
    until(lambda: desk.session().state is SessionState.ENDED)
    assert desk.toy.keys == ["Enter"]


@pytest.mark.parametrize(
    ("end", "state"),
    [(PaneEnd(), PromptState.ANSWERED), (PaneEnd(signal="9"), PromptState.FAILED)],
)
def test_an_answer_may_end_a_program_of_which_the_adapter_says_so(open_desk, end, state):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    adapter = desk.live.adapter
    adapter.info = replace(adapter.info, may_exit_when_answered=True)
    desk.toy.key = lambda _: desk.pane.die(end)
    Doing(lambda: desk.transport().respond(desk.session_id, approve(prompt))).outcome()
    assert desk.transport().prompt(prompt.request_id).state is state


@pytest.mark.parametrize(
    ("end", "state"),
    [
        (PaneEnd(EndCause.TMUX_ENDED), SessionState.LOST),
        (PaneEnd(signal="1"), SessionState.LOST),
        (PaneEnd(signal="Term"), SessionState.LOST),
        (PaneEnd(status=129), SessionState.LOST),
        (PaneEnd(status=143), SessionState.LOST),
        (PaneEnd(signal="9"), SessionState.ENDED),
        (PaneEnd(status=1), SessionState.ENDED),
        (PaneEnd(EndCause.CLOSED), SessionState.ENDED),
    ],
)
def test_a_session_that_stopped_with_its_machine_or_tmux_is_lost(open_desk, end, state):
    desk = open_desk(Toy())
    desk.pane.die(end)
    until(lambda: desk.session().state is state)


def test_a_pane_that_closes_under_a_refusal_took_it(open_desk):
    desk = open_desk(Toy("touch a"))
    desk.toy.row = 2
    prompt = desk.prompt()
    look = desk.pane.look

    def gone(*_):
        raise NotFound("there is no such pane", code="pane_not_found")

    def closes(_):
        desk.pane.look = desk.pane.wait = gone

    desk.pane.press = closes
    ended = desk.transport().respond(desk.session_id, approve(prompt, "no"))
    assert ended.state is PromptState.DENIED
    desk.pane.look = look


@pytest.mark.parametrize("looks", [0, 1, 2], ids=["before", "while read", "while judged"])
def test_an_answer_to_a_pane_that_is_just_gone_says_that_the_session_ended(open_desk, looks):
    desk = open_desk(Toy("touch a"))
    prompt, look, left = desk.prompt(), desk.pane.look, [looks]

    def vanishing():
        if not left[0]:
            raise NotFound("no such pane: %1", code="pane_not_found")
        left[0] -= 1
        return look()

    desk.pane.look = vanishing
    with pytest.raises(Conflict) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert (caught.value.code, caught.value.message) == ("session_ended", "the session has ended")
    assert desk.toy.keys == []
    assert desk.transport().prompt(prompt.request_id).state is PromptState.PENDING
    desk.pane.look = look


def test_a_session_that_is_ended_while_its_answer_is_typed_fails_the_prompt(open_desk):
    desk = open_desk(Toy("touch a"))
    desk.toy.deaf = True
    prompt = desk.prompt()
    answering = Doing(lambda: desk.transport().respond(desk.session_id, approve(prompt)))
    until(lambda: desk.toy.keys == ["Enter"])
    desk.transport().end(desk.session_id)
    assert isinstance(answering.outcome(), NotConfirmed)
    assert desk.transport().prompt(prompt.request_id).state is PromptState.FAILED
    assert desk.session().state is SessionState.ENDED


def test_a_screen_read_while_the_session_ends_does_not_bring_it_back(open_desk):
    desk = open_desk(Toy("touch a"))
    desk.prompt()
    one = desk.live
    detect, reading, go_on = one.adapter.detect_state, threading.Event(), threading.Event()

    def slow(*arguments):
        reading.set()
        go_on.wait(60)
        return detect(*arguments)

    one.adapter.detect_state = slow
    seeing = Doing(one.refresh)
    assert reading.wait(60)
    ending = Doing(lambda: desk.transport().end(desk.session_id))
    time.sleep(0.05)
    go_on.set()
    seeing.outcome()
    ending.outcome()
    assert desk.session().state is SessionState.ENDED
    assert list(desk.transport().pending()) == []


def test_a_list_that_is_read_whole_too_late_changes_no_other_prompt(open_desk):
    desk = open_desk(Toy("touch a", "touch b"))
    first = desk.prompt()
    desk.transport().respond(desk.session_id, approve(first))
    second = desk.prompt()
    assert desk.live.current_prompt.update(first.request_id, first.form) is None
    assert desk.prompt() == second


def test_done_without_a_deciding_key_is_not_reported_as_delivered(open_desk):
    from clawtap_core import Steps

    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.live.adapter.respond = lambda *_: Steps(done=True)
    with pytest.raises(NotConfirmed) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "not_delivered"
    assert desk.prompt().state is PromptState.PENDING


def test_an_adapter_that_gives_up_after_a_deciding_key_leaves_a_failed_prompt(
    open_desk,
):
    from clawtap_core import Press, Steps

    desk = open_desk(Toy("touch a"), timings=Timings(answer_leaves=0.2))
    desk.toy.deaf = True
    prompt = desk.prompt()
    rounds = iter([Steps((Press("Enter", deciding=True),), spans=True), None])
    desk.live.adapter.respond = lambda *_: next(rounds)
    with pytest.raises(NotConfirmed) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "not_confirmed"
    assert desk.transport().prompt(prompt.request_id).state is PromptState.FAILED


def test_invalid_steps_are_reported_as_impossible(open_desk):
    from clawtap_core import Steps

    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    desk.live.adapter.respond = lambda *_: Steps(("Enter",))
    with pytest.raises(ClawTapError) as caught:
        desk.transport().respond(desk.session_id, approve(prompt))
    assert caught.value.code == "cannot_answer"
    assert desk.prompt().state is PromptState.PENDING


def test_a_prompt_whose_steps_were_written_but_not_typed_waits_again_in_the_journal(open_desk):
    from clawtap_core import Expect, Press, Steps

    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    steps = Steps((Expect("what never comes", within=0.01), Press("Enter", deciding=True)))
    rounds = iter([steps, None])
    desk.live.adapter.respond = lambda *_: next(rounds)
    with pytest.raises(NotConfirmed):
        desk.transport().respond(desk.session_id, approve(prompt))
    (kept,) = desk.journal.kept().prompts
    assert kept.state is PromptState.PENDING


def test_a_pane_that_is_adopted_twice_at_once_is_watched_once(open_desk):
    desk = open_desk(Toy())
    desk.terminal.programs["%7"] = Toy()
    claim = desk.terminal.claim
    desk.terminal.claim = lambda *arguments: (time.sleep(0.05), claim(*arguments))
    tries = [Doing(lambda: desk.transport().adopt("%7", "toy")) for _ in range(4)]
    outcomes = [each.outcome() for each in tries]
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 3


def test_a_pane_is_adopted_again_though_the_end_of_its_cli_is_noticed_only_now(open_desk):
    desk = open_desk(Toy(), adopt=True)
    desk.pane.there = False
    look = desk.pane.look

    def look_and_notice():
        desk.pane.look = look
        desk.pane.die()
        return look()

    desk.pane.look = look_and_notice
    again = desk.transport().adopt("%9", "toy")
    assert desk.session().state is SessionState.ENDED
    assert desk.agent.sessions.running.keys() == {again.id}
    assert desk.terminal.owners["%9"] == again.id


def test_the_end_of_a_session_does_not_free_its_pane_for_who_adopted_it_since(open_desk):
    desk = open_desk(Toy(), adopt=True)
    before, adopted = desk.live, threading.Event()
    close = before.close
    before.close = lambda: (adopted.wait(60), close())
    freed = threading.Event()
    desk.pane.die()
    desk.pane._tasks.put(freed.set)
    until(lambda: desk.session().state is SessionState.ENDED)
    again = desk.transport().adopt("%9", "toy")
    adopted.set()
    assert freed.wait(60)
    assert desk.terminal.owners["%9"] == again.id


def test_a_cli_that_outlives_the_respawn_of_its_pane_is_ended_and_the_pane_stays(
    open_desk, monkeypatch
):
    desk, killed = open_desk(Toy()), []
    monkeypatch.setattr(manager, "end_group", killed.append)
    facts = desk.terminal.panes()
    desk.terminal.panes = lambda: [replace(pane, pid=pane.pid + 1) for pane in facts]
    desk.pane.die(PaneEnd(EndCause.RESPAWNED))
    until(lambda: killed == [desk.pane.group])
    assert desk.session().detail == "its pane was respawned"
    assert desk.session().pane in desk.terminal.programs


def test_a_start_that_fails_late_leaves_nothing_behind(open_desk, tmp_path):
    from clawtap_core import LaunchRequest

    desk = open_desk(Toy())

    def vanished(*_):
        raise NotFound("there is no such pane", code="pane_not_found")

    desk.terminal.watch = vanished
    with pytest.raises(NotFound):
        desk.transport().start(LaunchRequest("toy", str(tmp_path)))
    assert [session.id for session in desk.transport().sessions()] == [desk.session_id]
    assert list(desk.agent.sessions.running) == [desk.session_id]
    assert len(desk.terminal.programs) == 1


def test_a_blank_first_message_is_none_and_an_impossible_one_starts_nothing(open_desk, tmp_path):
    from clawtap_core import LaunchRequest
    from clawtap_core.errors import BadRequest

    desk = open_desk()
    with pytest.raises(BadRequest):
        desk.transport().start(LaunchRequest("toy", str(tmp_path), message="\x1b\x07"))
    assert list(desk.transport().sessions()) == []
    session = desk.transport().start(LaunchRequest("toy", str(tmp_path), message=" \n"))
    assert list(desk.transport().queue(session.id)) == []


def test_a_session_whose_pane_is_just_gone_can_be_ended(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()

    def vanished(_):
        raise NotFound("there is no such pane", code="pane_not_found")

    desk.terminal.kill = vanished
    desk.transport().end(desk.session_id)
    assert desk.session().state is SessionState.ENDED
    assert desk.transport().prompt(prompt.request_id).state is PromptState.CANCELLED
