"""Hooks of a CLI in a pane: one prompt, one answer, and the desk is never blocked."""

from __future__ import annotations

import threading
import time

import pytest
from fake_terminal import Toy, until
from patience import at_best
from toy_cli_hooks import HookRun

from clawtap_core import Kind, PromptState, SessionState
from clawtap_core.errors import Conflict, NotConfirmed
from clawtap_core.runtime.cli_hooks.dispatcher import event_name
from clawtap_core.runtime.state.events import session_event
from clawtap_core.runtime.timings import Timings


def run(desk, event, **payload):
    return HookRun(desk.agent, event, desk.session().pane, **payload)


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
    ended = desk.answer(desk.prompt())
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
        desk.answer(prompt)
        return time.monotonic() - began

    assert at_best(0.5, arrives) < 0.5


def test_an_answer_by_a_hook_that_leaves_no_trace_was_sent_and_not_typed(open_hooked):
    desk = open_hooked(Toy("touch a"), timings=Timings(answer_leaves=0.2))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    prompt = desk.prompt()
    with pytest.raises(NotConfirmed, match="the answer was sent, but the prompt did not leave"):
        desk.answer(prompt)
    assert hook.reply() == {"decision": "yes", "why": None}
    assert desk.toy.keys == []
    assert desk.transport().prompt(prompt.request_id).state is PromptState.FAILED


def test_what_the_hook_cannot_say_goes_by_keys_and_the_hook_is_let_go(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    desk.answer(desk.prompt(), "always")
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
        desk.answer(prompt)


def test_a_hook_that_the_cli_ended_is_no_way_to_answer(open_hooked):
    desk = open_hooked(Toy("touch a"))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    hook.gone = True
    desk.answer(desk.prompt())
    assert desk.toy.decided == ["touch a: Yes"]
    assert hook.reply() is None


def test_at_its_time_the_hook_is_let_go_and_the_prompt_stays(open_hooked):
    desk = open_hooked(Toy("touch a"), timeouts=dict.fromkeys(Kind, 0.3))
    hook = run(desk, "Ask", id="c1", run="touch a")
    until(lambda: desk.prompt().form.tool_input)
    assert hook.reply() is None
    assert desk.prompt().state is PromptState.PENDING
    desk.answer(desk.prompt())
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
        desk.answer(prompt)
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
        desk.answer(prompt, "no")
    assert desk.transport().prompt(prompt.request_id).state is PromptState.ANSWERED_ELSEWHERE


def test_of_two_calls_that_read_the_same_each_has_its_own_hook(open_hooked):
    desk = open_hooked(Toy("date", "date"))
    first, second = (run(desk, "Ask", id="c1", run="date", call=call) for call in ("t1", "t2"))
    until(lambda: desk.prompt().form.tool_call_id)
    calls = [desk.prompt().form.tool_call_id]
    takes(first if calls[0] == "t1" else second, desk, calls[0])
    desk.answer(desk.prompt())
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
        assert desk.answer(asked[-1]).state is PromptState.ANSWERED
    assert len({prompt.request_id for prompt in asked}) == 2
    assert desk.toy.decided == ["date: Yes", "date: Yes"]


def test_a_prompt_that_reads_the_same_as_one_whose_call_has_ended_is_another(open_hooked):
    """Two subagents ask the same; the desk answers the first, and nothing on the screen changes."""
    desk = open_hooked(Painter("date", "date"))
    desk.prompt()
    for call in ("t1", "t2"):
        transcript_tells(desk, "date", call)
    first = until(lambda: (p := desk.prompt()).form.tool_call_id and p)
    ended = first.form.tool_call_id
    desk.toy.choose("Yes")
    desk.show()
    transcript_ends(desk, ended)
    second = until(lambda: (p := desk.prompt()).request_id != first.request_id and p)
    assert {ended, second.form.tool_call_id} == {"t1", "t2"}
    state = desk.agent.store.find_prompt(first.request_id).state
    assert state is PromptState.ANSWERED_ELSEWHERE
    with pytest.raises(Conflict):
        desk.answer(first)
    assert desk.answer(second).state is PromptState.ANSWERED
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
        toy.chosen.wait(60)
        transcript_tells(desk, "date", "t1")
        if told:
            transcript_ends(desk, "t1")

    writing = threading.Thread(target=write)
    writing.start()
    if told:
        assert desk.answer(first).state is PromptState.ANSWERED
    else:
        with pytest.raises(NotConfirmed):
            desk.answer(first)
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
        desk.answer(first)


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
