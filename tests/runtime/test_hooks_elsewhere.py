"""Hooks of a CLI outside of tmux: a session of its own, which its hooks alone answer."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from fake_terminal import FakeTerminal, Toy, until
from full_journal import FullJournal
from toy_cli_hooks import HookRun

from clawtap_core import Kind, PromptState
from clawtap_core.errors import Conflict, Impossible
from clawtap_core.runtime.panes.pending_hook import PendingHook

needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd")


@pytest.fixture
def process():
    """A CLI elsewhere: a process that can be killed."""
    started = subprocess.Popen(["sleep", "100"])
    yield started
    started.kill()
    started.wait()


def elsewhere(desk, event, **payload):
    return HookRun(desk.agent, event, "", "", **payload)


def only_session(desk):
    (session,) = desk.transport().sessions()
    return session


def test_a_cli_elsewhere_is_a_session_of_its_own(open_hooked):
    desk = open_hooked()
    elsewhere(desk, "Begin", id="c1", source="startup").reply()
    session = only_session(desk)
    assert (session.channel, session.cli_session_id, session.state.value) == ("hook", "c1", "idle")
    elsewhere(desk, "Turn", id="c1").reply()
    assert only_session(desk).state.value == "busy"
    elsewhere(desk, "End", id="c1").reply()
    assert only_session(desk).state.value == "ended"


def test_its_prompts_are_answered_by_the_hook_alone(open_hooked):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    assert prompt.channel == "hook"
    assert prompt.expires_at
    until(lambda: only_session(desk).state.value == "waiting")
    ended = desk.answer(prompt, "no", reason="not now")
    assert ended.state is PromptState.DENIED
    assert hook.reply() == {"decision": "no", "why": "not now"}
    assert only_session(desk).state.value == "busy"


def test_a_reason_for_an_approval_has_no_way_to_a_cli_elsewhere(open_hooked):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    with pytest.raises(Impossible, match="only be given with a denial"):
        desk.answer(prompt, "yes", reason="but keep b")
    assert desk.answer(prompt, "yes").state is PromptState.ANSWERED
    assert hook.reply()["decision"] == "yes"


def test_a_prompt_of_a_cli_elsewhere_expires_with_a_refusal(open_hooked):
    desk = open_hooked(timeouts=dict.fromkeys(Kind, 1.0))
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    assert hook.reply() == {"decision": "deny", "why": "Tool approval timed out after 1 second"}
    assert desk.transport().prompt(prompt.request_id).state is PromptState.EXPIRED


@pytest.mark.parametrize("how", ["ends the hook", "runs the call", "begins a turn"])
def test_an_answer_where_it_runs_is_answered_elsewhere(open_hooked, how):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    if how == "ends the hook":
        hook.gone = True
    else:
        event = "Done" if how == "runs the call" else "Turn"
        elsewhere(desk, event, id="c1", **({"run": "touch a"} if event == "Done" else {}))
    assert hook.reply() is None
    ended = until(lambda: (p := desk.transport().prompt(prompt.request_id)).resolution and p)
    assert ended.state is PromptState.ANSWERED_ELSEWHERE
    with pytest.raises(Conflict):
        desk.answer(prompt)


@needs_pidfd
def test_a_cli_elsewhere_that_is_killed_ends_at_once_and_its_prompt_and_hook_with_it(
    open_hooked, process
):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a", process=process.pid)
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    process.kill()
    until(lambda: only_session(desk).state.value == "ended")
    assert only_session(desk).detail == "its CLI was killed"
    assert hook.reply() is None
    assert desk.transport().prompt(prompt.request_id).state is PromptState.CANCELLED


@needs_pidfd
def test_a_conversation_that_goes_on_in_another_process_does_not_end_with_the_first(
    open_hooked, process
):
    desk = open_hooked()
    elsewhere(desk, "Begin", id="c1", process=process.pid).reply()
    elsewhere(desk, "Begin", id="c1", source="resume", process=os.getpid()).reply()
    elsewhere(desk, "Begin", id="c2", process=process.pid).reply()
    process.kill()
    ended = until(
        lambda: [s.cli_session_id for s in desk.transport().sessions() if s.state.value == "ended"]
    )
    assert ended == ["c2"]


def test_a_cli_elsewhere_that_was_killed_while_nobody_looked_is_ended_after_the_restart(
    open_hooked, process
):
    desk = open_hooked()
    elsewhere(desk, "Begin", id="c1", process=process.pid).reply()
    elsewhere(desk, "Begin", id="c2", process=os.getpid()).reply()
    desk.agent.close()
    process.kill()
    process.wait()
    again = open_hooked(journal=desk.journal, terminal=FakeTerminal())
    states = {each.cli_session_id: each.state.value for each in again.transport().sessions()}
    assert states == {"c1": "ended", "c2": "idle"}


def test_what_only_a_terminal_can_do_is_impossible_elsewhere(open_hooked):
    desk = open_hooked()
    elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    with pytest.raises(Impossible):
        desk.transport().screen(prompt.session_id)
    with pytest.raises(Impossible):
        desk.transport().message(prompt.session_id, "hello")
    assert desk.transport().pending()


def test_after_a_restart_the_cli_elsewhere_asks_by_itself(open_hooked):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    desk.agent.hooks.close()
    assert hook.reply() is None
    again = open_hooked(journal=desk.journal, terminal=FakeTerminal())
    assert again.transport().prompt(prompt.request_id).state is PromptState.CANCELLED
    assert only_session(again).state.value == "busy"
    elsewhere(again, "Turn", id="c1").reply()
    assert only_session(again).cli_session_id == "c1"


def test_a_session_elsewhere_can_be_let_go(open_hooked):
    desk = open_hooked()
    hook = elsewhere(desk, "Ask", id="c1", run="touch a")
    prompt = until(lambda: next(iter(desk.transport().pending()), None))
    desk.transport().end(prompt.session_id)
    assert hook.reply() is None
    assert desk.transport().prompt(prompt.request_id).state is PromptState.CANCELLED
    desk.transport().end(prompt.session_id)
    assert desk.transport().sessions() == []


def test_a_pane_that_is_adopted_takes_over_what_hooks_reported(open_hooked):
    desk = open_hooked()
    HookRun(desk.agent, "Begin", "%9", id="c1", source="startup").reply()
    desk.terminal.programs["%9"] = Toy("touch a")
    adopted = desk.transport().adopt("%9", "toy")
    assert adopted.cli_session_id == "c1"
    states = {each.channel: each.state.over for each in desk.transport().sessions()}
    assert states == {"terminal": False, "hook": True}


def test_each_hook_that_waits_is_let_go_when_the_server_stops(open_hooked, monkeypatch):
    desk = open_hooked()
    hooks = [elsewhere(desk, "Ask", id=f"c{number}", run="touch a") for number in range(3)]
    until(lambda: len(desk.transport().pending()) == len(hooks))
    release = PendingHook.release

    def release_slowly(hook):
        release(hook)
        # One that was let go before returns meanwhile.
        time.sleep(0.1)

    monkeypatch.setattr(PendingHook, "release", release_slowly)
    desk.agent.hooks.close()
    assert [hook.reply() for hook in hooks] == [None] * 3


def test_a_report_is_taken_while_the_disk_is_full(open_hooked, process):
    journal = FullJournal()
    desk = open_hooked(journal=journal)
    elsewhere(desk, "Begin", id="c1").reply()
    journal.full = True
    turn = HookRun(desk.agent, "Turn", "", "", process=process.pid, id="c1")
    assert turn.reply() is None
    assert only_session(desk).state.value == "busy"
