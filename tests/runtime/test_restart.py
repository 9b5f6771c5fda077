"""The server may die at any moment: what was pending keeps its id."""

from __future__ import annotations

import os

import pytest
from fake_terminal import FakeTerminal, Toy, until
from toy_cli_hooks import HookRun

from clawtap_core import LaunchRequest, PromptState, Response, SessionState
from clawtap_core.errors import BadRequest, Conflict, Unavailable
from clawtap_core.system.processes import KnownProcess
from clawtap_core.terminal.errors import gone, timed_out


def test_a_pending_prompt_keeps_its_id_and_can_be_answered(open_desk):
    desk = open_desk(Toy("touch a"))
    before = desk.prompt()
    desk.dies()
    desk = desk.reopened(open_desk)
    assert desk.prompt().request_id == before.request_id
    desk.transport().respond(desk.session_id, Response(before.request_id, "yes"))
    assert desk.toy.decided == ["touch a: Yes"]


def test_what_is_known_of_the_call_behind_a_prompt_survives(open_hooked):
    desk = open_hooked(Toy("touch a"))
    desk.prompt()
    HookRun(desk.agent, "Ask", desk.session().pane, id="c1", run="touch a", call="t1")
    until(lambda: desk.prompt().form.tool_input)
    before = desk.prompt()
    desk.dies()
    seen_at = desk.session().last_activity
    desk = desk.reopened(open_hooked)
    until(lambda: desk.session().last_activity > seen_at)
    after = desk.prompt()
    assert (after.request_id, after.form.tool_call_id) == (before.request_id, "t1")
    assert after.form.tool_input == {"command": "touch a"}
    desk.transport().respond(desk.session_id, Response(before.request_id, "yes"))
    assert desk.toy.decided == ["touch a: Yes"]
    desk.toy.asks.append("touch b")
    desk.show()
    until(lambda: desk.prompt().request_id != before.request_id)
    assert desk.prompt().form.tool_input is None


def test_a_prompt_answered_at_the_desk_meanwhile_was_answered_elsewhere(open_desk):
    desk = open_desk(Toy("touch a"))
    before = desk.prompt()
    desk.dies()
    desk.toy.choose("No")
    desk = desk.reopened(open_desk)
    until(lambda: not desk.transport().pending())
    state = desk.transport().prompt(before.request_id).state
    assert state is PromptState.ANSWERED_ELSEWHERE


def test_an_answer_that_was_under_way_is_failed_and_not_typed_again(open_desk):
    desk = open_desk(Toy("touch a"))
    before = desk.prompt()

    class Killed(BaseException):
        pass

    def killed():
        raise Killed

    desk.pane.before_key = killed
    desk.agent.store.end_prompt = lambda *_, **__: killed()
    with pytest.raises(Killed):
        desk.transport().respond(desk.session_id, Response(before.request_id, "yes"))
    desk.dies()
    desk = desk.reopened(open_desk)
    assert desk.transport().prompt(before.request_id).state is PromptState.FAILED
    assert until(lambda: desk.prompt().request_id != before.request_id)
    assert desk.toy.keys == []


def test_a_session_whose_pane_is_gone_has_ended(open_desk):
    desk = open_desk(Toy("touch a"))
    before = desk.prompt()
    desk.dies()
    desk.terminal.programs.clear()
    desk = desk.reopened(open_desk)
    assert desk.session().state is SessionState.ENDED
    assert desk.transport().prompt(before.request_id).state is PromptState.CANCELLED


def test_a_session_whose_tmux_ends_while_clawtap_starts_is_lost(open_desk):
    toy = Toy("touch a")
    desk = open_desk(toy, terminal=FakeTerminal(program=toy, pid=str(os.getpid())))
    desk.dies()

    def ends(*_):
        desk.terminal.pid = ""
        raise gone()

    desk.terminal.watch = ends
    desk = desk.reopened(open_desk)
    assert desk.session().state is SessionState.LOST
    with pytest.raises(Conflict, match="the session was lost: while ClawTap did not run") as caught:
        desk.transport().interrupt(desk.session_id)
    assert caught.value.code == "session_ended"


def test_a_session_outlives_a_start_at_which_tmux_does_not_answer(open_desk, monkeypatch):
    def watch(*_):
        raise timed_out(10)

    desk = open_desk(Toy("touch a"))
    before = desk.prompt()
    desk.dies()
    with monkeypatch.context() as slow:
        slow.setattr(desk.terminal, "watch", watch)
        with pytest.raises(Unavailable, match="tmux did not answer"):
            desk.agent.sessions.recover()
    assert desk.reopened(open_desk).prompt() == before


def test_a_session_comes_back_from_a_start_that_looked_at_another_tmux_server(open_desk):
    desk = open_desk(Toy("touch a"))
    desk.prompt()
    desk.dies()
    tmux_and_cli = [KnownProcess.running(pid).note for pid in (os.getppid(), os.getpid())]
    desk.agent.store.mark(desk.session_id, "processes", tmux_and_cli)
    elsewhere = open_desk(terminal=FakeTerminal(), journal=desk.journal)
    assert elsewhere.transport().session(desk.session_id).state is SessionState.LOST
    desk = desk.reopened(open_desk)
    assert desk.prompt()
    assert desk.session().state is SessionState.WAITING


def test_queued_messages_survive(open_desk):
    toy = Toy("touch a")
    desk = open_desk(toy)
    desk.prompt()
    desk.transport().message(desk.session_id, "after that")
    desk.dies()
    desk = desk.reopened(open_desk)
    assert [m.message for m in desk.transport().queue(desk.session_id)] == ["after that"]
    toy.choose("Yes")
    desk.show()
    until(lambda: toy.messages == ["after that"])


def test_bad_starts_leave_nothing_behind(open_desk, tmp_path):
    desk = open_desk()
    for request in (
        LaunchRequest("nope", str(tmp_path)),
        LaunchRequest("toy", str(tmp_path / "missing")),
        LaunchRequest("toy", "relative"),
        LaunchRequest("toy", str(tmp_path), permission_mode="bogus"),
        LaunchRequest("toy", str(tmp_path), effort="bogus"),
        LaunchRequest("toy", str(tmp_path), cols=1),
    ):
        with pytest.raises(BadRequest):
            desk.transport().start(request)
    assert list(desk.transport().sessions()) == []
    assert desk.terminal.programs == {}
