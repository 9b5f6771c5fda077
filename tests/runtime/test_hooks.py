"""Hooks beside a screen: one prompt, one answer, and the desk is never blocked."""

from __future__ import annotations

import os
import subprocess
import threading
import time

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, until
from patience import at_best
from toy_cli_hooks import HookRun, make_hooked

from clawtap_core import Kind, LaunchRequest, PromptState, Response, SessionState
from clawtap_core.errors import Conflict, Impossible, NotConfirmed
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.cli_hooks.dispatcher import event_name
from clawtap_core.runtime.state.events import session_event
from clawtap_core.runtime.timings import Timings

needs_pidfd = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd")


@pytest.fixture
def open_hooked(tmp_path):
    """Opens a desk whose CLI has hooks."""
    opened = []

    def open_one(program=None, *, outside=True, journal=None, terminal=None, **settings):
        host = Host()
        host.add(make_hooked(outside=outside), "toy")
        terminal = terminal or FakeTerminal(program=program)
        journal = journal or MemoryJournal()
        agent = Runtime(host, terminal, journal, env={"PATH": "/usr/bin:/bin"}, **settings)
        opened.append(agent)
        desk = Desk(terminal, journal, agent)
        if program is not None:
            desk.session_id = desk.transport().start(LaunchRequest("toy", str(tmp_path))).id
        return desk

    yield open_one
    for agent in opened:
        agent.close()


def run(desk, event, **payload):
    return HookRun(desk.agent, event, desk.session().pane, **payload)


def answer(desk, prompt, option="yes", **more):
    response = Response(prompt.request_id, selected_option=option, **more)
    return desk.transport().respond(prompt.session_id, response)


def takes(hook, desk, call=None):
    """The CLI does what its hook returns, and tells of a call that it ran."""

    def act():
        if hook.reply():
            command = desk.toy.asks[0]
            desk.toy.choose({"yes": "Yes", "no": "No", "deny": "No"}[hook.answer["decision"]])
            if hook.answer["decision"] == "yes":
                run(desk, "Done", id="c1", run=command, call=call).reply()
            desk.show()

    threading.Thread(target=act, daemon=True).start()


def test_one_prompt_seen_by_hook_and_screen_is_one(open_hooked):
    desk = open_hooked(Toy("touch a"))
    seen = desk.prompt()
    assert seen.form.tool_input is None
    hook = run(desk, "Ask", id="c1", run="touch a", call="t1")
    until(lambda: desk.prompt().form.tool_input)
    (prompt,) = desk.transport().pending()
    assert prompt.request_id == seen.request_id
    assert (prompt.form.tool_call_id, prompt.form.tool_input) == ("t1", {"command": "touch a"})
    assert not hook.returned


def test_a_url_in_lower_case_names_the_same_hook(open_hooked):
    desk = open_hooked(Toy("touch a"))
    desk.prompt()
    run(desk, "ask", id="c1", run="touch a", call="t1")
    until(lambda: desk.prompt().form.tool_input)
    assert event_name("before-tool") == "BeforeTool"
    assert event_name("session-start") == "SessionStart"


def test_a_hook_that_comes_first_makes_no_prompt_until_the_screen_shows_it(open_hooked):
    desk = open_hooked(Toy())
    hook = run(desk, "Ask", id="c1", run="touch a")
    time.sleep(0.1)
    assert desk.transport().pending() == []
    desk.toy.asks.append("touch a")
    desk.show()
    assert desk.prompt().form.tool_input == {"command": "touch a"}
    assert not hook.returned


def transcript_tells(desk, command, call):
    """The transcript tells of a call that is made."""
    fields = {"toolCallId": call, "toolName": "run", "input": {"command": command}}
    now = desk.agent.store.now()
    desk.agent.store.publish_transient(
        session_event("tool_call_start", desk.session_id, now, **fields)
    )


def transcript_ends(desk, call, status="success"):
    """The transcript tells of the end of a call."""
    fields = {"toolCallId": call, "status": status}
    now = desk.agent.store.now()
    desk.agent.store.publish_transient(
        session_event("tool_call_end", desk.session_id, now, **fields)
    )


def test_a_call_that_is_reported_before_its_message_is_known_to_have_left_counts(open_hooked):
    desk = open_hooked(Toy())
    live = until(lambda: desk.agent.sessions.running.get(desk.session_id))
    until(lambda: desk.session().state is SessionState.IDLE)
    with live.typing():
        transcript_tells(desk, "touch a", "t1")
        desk.toy.asks.append("touch a")
    assert desk.prompt().form.tool_call_id == "t1"


def test_a_call_that_is_reported_of_an_idle_cli_is_an_old_one(open_hooked):
    desk = open_hooked(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    transcript_tells(desk, "touch a", "t1")
    desk.toy.asks.append("touch a")
    desk.show()
    assert desk.prompt().form.tool_call_id is None


def test_a_report_of_no_turn_leaves_the_calls_that_are_known(open_hooked):
    desk = open_hooked(Toy())
    until(lambda: desk.session().state is SessionState.IDLE)
    run(desk, "Call", id="c1", run="touch a", call="t1").reply()
    run(desk, "Notification", id="c1").reply()
    desk.toy.asks.append("touch a")
    desk.show()
    assert desk.prompt().form.tool_call_id == "t1"


def test_an_answer_goes_by_the_hook_and_no_key_is_pressed(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    takes(hook, desk)
    ended = answer(desk, desk.prompt())
    assert ended.state is PromptState.ANSWERED
    assert hook.answer == {"decision": "yes", "why": None}
    assert desk.toy.keys == []
    reported = [event.data for event in desk.journal.read(0, 500)]
    assert any(data.get("via") == "hook" for data in reported)


def test_an_answer_reaches_the_cli_through_its_hook_within_half_a_second(open_hooked):
    def arrives() -> float:
        desk = open_hooked(Toy("touch a"))
        hook = run(desk, "Ask", id="c1", run="touch a")
        until(lambda: desk.prompt().form.tool_input)
        takes(hook, desk)
        prompt, began = desk.prompt(), time.monotonic()
        answer(desk, prompt)
        return time.monotonic() - began

    assert at_best(0.5, arrives) < 0.5


def test_what_the_hook_cannot_say_goes_by_keys_and_the_hook_is_let_go(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    answer(desk, desk.prompt(), "always")
    assert desk.toy.decided == ["touch a: Always"]
    assert hook.reply() is None


def test_the_hook_is_let_go_when_the_desk_answers(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    prompt = desk.prompt()
    desk.toy.choose("No")
    desk.show()
    assert hook.reply() is None
    assert desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERED_ELSEWHERE
    with pytest.raises(Conflict):
        answer(desk, prompt)


def test_a_hook_that_the_cli_ended_is_no_way_to_answer(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    hook.gone = True
    answer(desk, desk.prompt())
    assert desk.toy.decided == ["touch a: Yes"]
    assert hook.reply() is None


def test_at_its_time_the_hook_is_let_go_and_the_prompt_stays(open_hooked):
    desk = open_hooked(Toy("touch a"), timeouts=dict.fromkeys(Kind, 0.3))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    assert hook.reply() is None
    assert desk.prompt().state is PromptState.PENDING
    answer(desk, desk.prompt())
    assert desk.toy.decided == ["touch a: Yes"]


def test_an_answer_that_crossed_with_a_refusal_at_the_desk_is_not_ours(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    prompt = desk.prompt()

    def cross():
        hook.reply()
        desk.toy.choose("No")  # The desk was first: the CLI drops what the hook says.
        desk.show()

    threading.Thread(target=cross, daemon=True).start()
    with pytest.raises(Conflict):
        answer(desk, prompt)
    assert desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERED_ELSEWHERE


def test_a_refusal_that_crossed_with_a_yes_at_the_desk_is_not_ours(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a", call="t1")
    until(lambda: desk.prompt().form.tool_input)
    prompt = desk.prompt()

    def cross():
        hook.reply()
        desk.toy.choose("Yes")
        run(desk, "Done", id="c1", run="touch a", call="t1").reply()
        desk.show()

    threading.Thread(target=cross, daemon=True).start()
    with pytest.raises(Conflict):
        answer(desk, prompt, "no")
    assert desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERED_ELSEWHERE


def test_of_two_calls_that_read_the_same_each_has_its_own_hook(open_hooked):
    desk = open_hooked(Toy("date", "date"))
    first, second = (run(desk, "Ask", id="c1", run="date", call=call) for call in ("t1", "t2"))
    until(lambda: desk.prompt().form.tool_call_id)
    calls = [desk.prompt().form.tool_call_id]
    takes(first if calls[0] == "t1" else second, desk, calls[0])
    answer(desk, desk.prompt())
    until(lambda: (p := next(iter(desk.transport().pending()), None)) and p.form.tool_call_id)
    calls.append(desk.prompt().form.tool_call_id)
    assert sorted(calls) == ["t1", "t2"]


class Painter(Toy):
    """A CLI that shows nothing of what was asked before."""

    def choose(self, label):
        super().choose(label)
        self.history.clear()


def test_an_answered_call_is_over_though_one_that_reads_the_same_stands_there(open_hooked):
    desk = open_hooked(Painter("date", "date"))
    first, second = (run(desk, "Ask", id="c1", run="date", call=call) for call in ("t1", "t2"))
    until(lambda: desk.prompt().form.tool_call_id)
    hooks = {"t1": first, "t2": second}
    asked = []
    for _ in range(2):
        until(lambda: (p := next(iter(desk.transport().pending()), None)) and p.form.tool_call_id)
        asked.append(desk.prompt())
        call = asked[-1].form.tool_call_id
        takes(hooks.pop(call), desk, call)
        assert answer(desk, asked[-1]).state is PromptState.ANSWERED
    assert len({prompt.request_id for prompt in asked}) == 2
    assert desk.toy.decided == ["date: Yes", "date: Yes"]


class Late(Toy):
    """A CLI that shows the next question at once; its transcript comes after the answer."""

    def __init__(self, *asks):
        super().__init__(*asks)
        self.chosen = threading.Event()

    def key(self, key):
        super().key(key)
        if self.decided:
            self.history.clear()
            self.chosen.set()


@pytest.mark.parametrize("told", [True, False])
def test_a_call_that_the_transcript_tells_after_the_answer_ends_its_prompt(open_hooked, told):
    toy = Late("date", "date")
    desk = open_hooked(toy, timings=Timings(answer_leaves=3 if told else 0.3))
    first = desk.prompt()

    def write():
        toy.chosen.wait(20)
        transcript_tells(desk, "date", "t1")
        if told:
            transcript_ends(desk, "t1")

    writing = threading.Thread(target=write)
    writing.start()
    if told:
        assert answer(desk, first).state is PromptState.ANSWERED
    else:
        with pytest.raises(NotConfirmed):
            answer(desk, first)
    writing.join()
    assert desk.toy.decided == ["date: Yes"]


def test_an_equal_call_that_ended_before_the_answer_says_nothing_of_it(open_hooked):
    toy = Toy("date", "date")
    desk = open_hooked(toy, timings=Timings(answer_leaves=0.3))
    toy.deaf = True
    first = desk.prompt()
    transcript_tells(desk, "date", "t0")
    until(lambda: desk.prompt().form.tool_call_id == "t0")
    transcript_ends(desk, "t0")
    with pytest.raises(NotConfirmed):
        answer(desk, first)


def test_a_session_knows_its_conversation_by_the_first_hook(open_hooked):
    desk = open_hooked(Toy())
    run(desk, "Turn", id="c1").reply()
    assert desk.session().cli_session_id == "c1"
    rekeyed = [event for event in desk.journal.read(0, 500) if event.type == "session_rekeyed"]
    assert [event.data["cliSessionId"] for event in rekeyed] == ["c1"]


def test_another_conversation_in_the_pane_takes_its_place(open_hooked):
    desk = open_hooked(Toy())
    run(desk, "Turn", id="c1").reply()
    run(desk, "Begin", id="c2", source="clear").reply()
    assert desk.session().cli_session_id == "c2"


def test_a_cli_inside_the_one_in_the_pane_is_another(open_hooked):
    desk = open_hooked(Toy("touch a"))
    desk.prompt()
    run(desk, "Turn", id="c1").reply()
    run(desk, "Begin", id="inner", source="startup").reply()
    assert run(desk, "Ask", id="inner", run="touch a").reply() is None
    assert desk.session().cli_session_id == "c1"
    assert desk.prompt().form.tool_input is None


def test_a_pane_of_another_tmux_server_is_another_pane(open_hooked):
    desk = open_hooked(Toy("touch a"), outside=False)
    pane = desk.session().pane
    assert HookRun(desk.agent, "Ask", pane, "1", id="c1", run="touch a").reply() is None
    assert desk.session().cli_session_id is None


def test_when_clawtap_stops_every_hook_returns(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    desk.agent.hooks.close()
    assert hook.reply() is None


# CLIs that run elsewhere


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
    assert only_session(desk).state.value == "waiting"
    ended = answer(desk, prompt, "no", reason="not now")
    assert ended.state is PromptState.DENIED
    assert hook.reply() == {"decision": "no", "why": "not now"}
    assert only_session(desk).state.value == "busy"


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
        answer(desk, prompt)


@pytest.fixture
def process():
    """A CLI elsewhere: a process that can be killed."""
    started = subprocess.Popen(["sleep", "100"])
    yield started
    started.kill()
    started.wait()


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
