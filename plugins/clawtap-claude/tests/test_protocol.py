"""stream-json, on recorded conversations of both versions."""

from __future__ import annotations

import json
from pathlib import Path

import clawtap_claude as claude
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawtap_core import (
    Ack,
    AgentEvent,
    Effect,
    Interrupt,
    Kind,
    LaunchRequest,
    PromptRequested,
    RequestCancelled,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    SwitchModel,
    Write,
)
from clawtap_core.prompts.validation import validate_response
from clawtap_core.protocol_io.json_lines import json_line

FOLDER = Path(__file__).with_name("protocol")
VERSIONS = ("2.1.330", "2.1.85")
REQUEST = LaunchRequest("claude", "/", channel="protocol")


def conversations(version):
    found = {}
    for line in (FOLDER / f"{version}.jsonl").read_text().splitlines():
        record = json.loads(line)
        found.setdefault(record["scenario"], []).append((record["from"], record["line"]))
    return found


RECORDED = {version: conversations(version) for version in VERSIONS}
both = pytest.mark.parametrize("version", VERSIONS)


def peer():
    return claude.open_protocol(REQUEST)


def hear(peer, *lines):
    return [item for line in lines for item in peer.receive(json_line(line))]


def said(version, scenario, who):
    return [line for side, line in RECORDED[version][scenario] if side == who]


def asked(version, scenario, number=0):
    """A peer that heard a conversation up to a request, and that request."""
    one, found = peer(), []
    for line in said(version, scenario, "cli"):
        found += [item for item in hear(one, line) if isinstance(item, PromptRequested)]
        if len(found) > number:
            return one, found[number]
    raise AssertionError("nothing was asked")


def replied(version, scenario, call):
    """What the recorded host replied to a request."""
    for line in said(version, scenario, "host"):
        if line["type"] == "control_response" and line["response"]["request_id"] == call:
            return line
    raise AssertionError("nothing was replied")


def answer(peer, asked, **response):
    outgoing = peer.answer(asked.call, validate_response(asked.form, Response("r", **response)))
    return json.loads(outgoing.data) if outgoing else None


@pytest.mark.parametrize("scenario", RECORDED["2.1.330"])
@both
def test_a_whole_conversation_is_heard_whatever_way_its_bytes_are_split(version, scenario):
    lines = said(version, scenario, "cli")
    data = b"".join(map(json_line, lines))
    one = peer()
    heard = [item for at in range(0, len(data), 97) for item in one.receive(data[at : at + 97])]
    assert heard == hear(peer(), *lines)
    assert not [item for item in heard if isinstance(item, AgentEvent) and "error" in item.type]
    requests = [line["request"]["subtype"] for line in lines if line["type"] == "control_request"]
    humans = [name for name in requests if name != "hook_callback"]
    assert len([item for item in heard if isinstance(item, PromptRequested)]) == len(humans)
    assert [item for item in heard if isinstance(item, SessionFacts) and item.state][-1].state is (
        SessionState.IDLE
    )


@both
def test_a_permission_is_approved_with_its_input(version):
    one, request = asked(version, "init_bash_allow")
    form = request.form
    assert (form.kind, form.tool_name, form.title) == (Kind.PERMISSION, "Bash", "Bash command")
    assert form.description.startswith("touch made.txt && echo done")
    assert form.tool_call_id.startswith("toolu_")
    assert answer(one, request, decision="approve") == replied(
        version, "init_bash_allow", request.call
    )
    assert one.answer(request.call, Response("r", "yes")) is None


@both
def test_a_refusal_carries_its_reason(version):
    one, request = asked(version, "bash_deny")
    recorded = replied(version, "bash_deny", request.call)
    reason = recorded["response"]["response"]["message"]
    assert answer(one, request, decision="deny", reason=reason) == recorded


@both
def test_a_refusal_without_a_reason_says_who_refused(version):
    one, request = asked(version, "bash_deny")
    sent = answer(one, request, decision="deny")["response"]["response"]
    assert sent == {"behavior": "deny", "message": "User denied tool execution"}


@both
def test_what_the_cli_suggests_can_be_allowed_for_longer(version):
    one, request = asked(version, "bash_allow_perms")
    recorded = replied(version, "bash_allow_perms", request.call)
    suggested = recorded["response"]["response"]["updatedPermissions"]
    lasting = [one for one in request.form.options if one.effect is Effect.ALLOW_ALWAYS]
    assert len(lasting) == len(suggested)
    reply = answer(one, request, selected_option=lasting[0].value)["response"]["response"]
    assert reply["updatedPermissions"] == [suggested[0]]
    assert reply["updatedInput"] == request.form.tool_input


@both
def test_questions_are_answered_by_their_texts_and_labels_are_joined(version):
    one, request = asked(version, "ask_by_text")
    first, second = request.form.questions
    assert (first.header, first.multi_select, second.multi_select) == ("Database", False, True)
    assert [option.label for option in first.options] == ["PostgreSQL", "SQLite", "MongoDB"]
    answers = {"0": "SQLite", "1": ("Login", "Export")}
    assert answer(one, request, answers=answers) == replied(version, "ask_by_text", request.call)


@both
def test_a_question_takes_free_text(version):
    one, request = asked(version, "ask_free_text")
    recorded = replied(version, "ask_free_text", request.call)
    texts = list(recorded["response"]["response"]["updatedInput"]["answers"].values())
    answers = {str(index): text for index, text in enumerate(texts)}
    assert answer(one, request, answers=answers) == recorded


@both
def test_a_question_is_refused_with_a_message(version):
    one, request = asked(version, "ask_deny")
    recorded = replied(version, "ask_deny", request.call)
    reason = recorded["response"]["response"]["message"]
    assert answer(one, request, decision="deny", reason=reason) == recorded


@both
def test_a_plan_is_approved_by_hand_or_with_edits_or_sent_back_with_a_text(version):
    one, request = asked(version, "plan_allow")
    assert request.form.kind is Kind.PLAN
    assert request.form.description.startswith("# Plan: greet better")
    recorded = replied(version, "plan_allow", request.call)
    assert answer(one, request, decision="approve") == recorded

    one, request = asked(version, "plan_allow_acceptEdits")
    recorded = replied(version, "plan_allow_acceptEdits", request.call)
    edits = request.form.with_effect(Effect.ALLOW_ALWAYS)
    assert answer(one, request, selected_option=edits.value) == recorded

    one, request = asked(version, "plan_deny")
    recorded = replied(version, "plan_deny", request.call)
    assert answer(one, request, text_value="Please use pytest") == recorded


@both
def test_a_form_of_an_mcp_server_is_filled_in_declined_or_cancelled(version):
    one, request = asked(version, "elicitation")
    assert request.form.questions[0].header == "Environment"
    recorded = replied(version, "elicitation", request.call)
    assert answer(one, request, answers={"0": "staging", "2": "True"}) == recorded
    for option, action in (("decline", "decline"), ("cancel", "cancel")):
        one, request = asked(version, "elicitation")
        reply = answer(one, request, selected_option=option)
        assert reply["response"]["response"] == {"action": action}


@both
def test_a_request_that_is_taken_back_is_withdrawn_at_once(version):
    heard = hear(peer(), *said(version, "interrupt_while_asking", "cli"))
    at = next(i for i, item in enumerate(heard) if isinstance(item, PromptRequested))
    assert heard[at + 1] == RequestCancelled(heard[at].call)


@both
def test_a_hook_callback_is_answered_without_a_human(version):
    heard = hear(peer(), *said(version, "hook_callback", "cli"))
    replies = [json.loads(item.data) for item in heard if isinstance(item, Write)]
    assert replies
    assert all(reply["response"]["response"] == {"continue": True} for reply in replies)


@both
def test_a_subagents_prompt_says_whose_it_is(version):
    _, request = asked(version, "subagent")
    assert request.form.origin == "Look around"


@both
def test_the_first_facts_are_the_clis_own(version):
    heard = hear(peer(), *said(version, "init_bash_allow", "cli"))
    facts = next(item for item in heard if isinstance(item, SessionFacts) and item.cli_session_id)
    assert facts.cli_version == version
    assert (facts.state, facts.mode) == (SessionState.BUSY, "default")


@both
def test_the_answer_streams(version):
    heard = hear(peer(), *said(version, "init_bash_allow", "cli"))
    streamed = [item for item in heard if isinstance(item, AgentEvent)]
    kinds = {event.type for event in streamed}
    assert kinds == {"thinking", "text_delta", "tool_call_delta", "status_update"}
    last = [event for event in streamed if event.type == "text_delta"][-1]
    assert last.data["text"] == "ok, finished."


def test_a_message_is_taken_when_the_cli_repeats_it():
    one = peer()
    outgoing = one.message("hello")
    line = json.loads(outgoing.data)
    assert line["message"] == {"role": "user", "content": [{"type": "text", "text": "hello"}]}
    assert hear(one, {**line, "isReplay": True}) == [Ack(outgoing.receipt)]
    assert hear(one, {**line, "isReplay": True}) == []


def test_a_message_is_taken_when_its_turn_begins():
    one = peer()
    first, second = one.message("one").receipt, one.message("two").receipt
    init = {"type": "system", "subtype": "init", "session_id": "s"}
    heard = hear(one, {**init, "user_message_uuids": [second, "another"]})
    assert [item for item in heard if isinstance(item, Ack)] == [Ack(second)]
    assert Ack(first) in hear(one, init)


def test_a_message_that_a_command_of_the_cli_was_is_taken_with_the_end_of_its_turn():
    one = peer()
    outgoing = one.message("/cost")
    heard = hear(one, {"type": "result", "is_error": False})
    assert heard == [Ack(outgoing.receipt), SessionFacts(SessionState.IDLE)]


def test_what_a_session_cost_comes_with_the_end_of_each_turn():
    heard = hear(peer(), {"type": "result", "is_error": False, "total_cost_usd": 0.01674})
    costs = [event.data["cost"] for event in heard if isinstance(event, AgentEvent)]
    assert costs == [0.01674]
    silent = hear(peer(), {"type": "result", "is_error": False, "total_cost_usd": "much"})
    assert not [event for event in silent if isinstance(event, AgentEvent)]


@pytest.mark.parametrize(
    ("action", "subtype", "response", "facts"),
    [
        (SwitchMode("plan"), "set_permission_mode", {"mode": "plan"}, [SessionFacts(mode="plan")]),
        (SwitchModel("haiku"), "set_model", {"model": "haiku-4"}, [SessionFacts(model="haiku-4")]),
        (SwitchModel("haiku"), "set_model", None, [SessionFacts(model="haiku")]),
        (Interrupt(), "interrupt", None, []),
    ],
)
def test_an_action_is_reported_once_the_cli_did_it(action, subtype, response, facts):
    one = peer()
    outgoing = one.control(action)
    request = json.loads(outgoing.data)
    assert request["request"]["subtype"] == subtype
    fields = {"subtype": "success", "request_id": outgoing.receipt, "response": response}
    heard = hear(one, {"type": "control_response", "response": fields})
    assert heard == [*facts, Ack(outgoing.receipt)]


def test_an_action_that_the_cli_refuses_changes_nothing():
    one = peer()
    name = one.control(SwitchMode("bypassPermissions")).receipt
    fields = {"subtype": "error", "request_id": name, "error": "not launched for it"}
    heard = hear(one, {"type": "control_response", "response": fields})
    assert heard == [Ack(name, "not launched for it")]


def test_a_request_that_nobody_knows_is_refused():
    request = {"type": "control_request", "request_id": "1", "request": {"subtype": "sing"}}
    (outgoing,) = hear(peer(), request)
    assert json.loads(outgoing.data)["response"]["subtype"] == "error"


def test_a_turn_that_failed_says_why_and_one_that_was_interrupted_does_not():
    failed = {"type": "result", "is_error": True, "subtype": "success", "result": "API Error: 500"}
    (event, _) = hear(peer(), failed)
    assert event.data == {"code": "turn_failed", "error": "API Error: 500"}
    words = "You've hit your 5-hour limit · resets 10:28am (UTC)"
    (limited, _) = hear(peer(), {**failed, "result": words})
    assert limited.data == {"code": "usage_limit", "error": words}
    one = peer()
    one.control(Interrupt())
    assert hear(one, {**failed, "subtype": "error_during_execution"}) == [
        SessionFacts(SessionState.IDLE)
    ]


def test_an_interrupt_that_came_too_late_hides_no_failure_of_the_next_turn():
    one = peer()
    one.control(Interrupt())
    one.message("go on")
    failed = {"type": "result", "subtype": "success", "is_error": True, "result": "no credit left"}
    (error, _) = [item for item in hear(one, failed) if not isinstance(item, Ack)]
    assert error.data == {"code": "turn_failed", "error": "no credit left"}


def test_the_first_message_goes_over_the_protocol_and_not_as_an_argument():
    request = LaunchRequest("claude", "/", "hello", "opus", "plan", channel="protocol", resume="x")
    launch = claude.launch(request)
    assert "hello" not in launch.argv
    assert not launch.includes_message
    assert ("--permission-prompt-tool", "stdio") in zip(launch.argv, launch.argv[1:], strict=False)
    assert launch.argv[-2:] == ("--resume", "x")
    for pair in (("--permission-mode", "plan"), ("--model", "opus")):
        assert pair in zip(launch.argv, launch.argv[1:], strict=False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
TYPES = st.sampled_from(
    [
        *("control_request", "control_cancel_request", "control_response", "system", "user"),
        *("stream_event", "result", "assistant", "command_lifecycle", "nobody knows"),
    ]
)
FIELDS = st.sampled_from(
    [
        *("request_id", "request", "response", "event", "subtype", "uuid", "isReplay", "message"),
        *("tool_name", "input", "permission_suggestions", "questions", "index", "delta", "mode"),
        *("requested_schema", "properties", "permissionMode", "is_error", "total_cost_usd"),
    ]
)
SUBTYPES = st.sampled_from(["can_use_tool", "elicitation", "hook_callback", "init", "success"])
NAMES = st.sampled_from(["AskUserQuestion", "ExitPlanMode", "Bash", "mcp__x"])


@st.composite
def line(draw):
    request = draw(st.dictionaries(FIELDS, JSON, max_size=4))
    request |= {"subtype": draw(SUBTYPES), "tool_name": draw(NAMES | JSON)}
    made = draw(st.dictionaries(FIELDS, JSON, max_size=5)) | {"type": draw(TYPES)}
    return made | draw(st.sampled_from([{}, {"request_id": "1", "request": request}]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(line() | JSON, max_size=6), st.integers(1, 60))
def test_nothing_that_a_cli_says_is_raised(lines, size):
    one = peer()
    data = b"".join(json.dumps(each).encode() + b"\n" for each in lines)
    for at in range(0, len(data), size):
        for item in one.receive(data[at : at + size]):
            if isinstance(item, PromptRequested):
                one.answer(item.call, Response("r", decision="deny"))
                one.answer(item.call, Response("r", "yes", answers={"0": "x"}))


def test_a_message_that_a_hook_refused_is_reported_with_the_reason():
    line = {  # of 2.1.332
        "type": "system",
        "subtype": "informational",
        "content": "UserPromptSubmit operation blocked by hook:\nNot allowed here.\n\n"
        "Original prompt: this is forbidden",
        "level": "warning",
        "prevent_continuation": True,
        "prompt_submit_outcome": {
            "kind": "blocked_by_hook",
            "prompt_kept": False,
            "reason": "Not allowed here.",
        },
        "uuid": "46ad4e18-371c-44f3-97a2-4c951ededc30",
        "session_id": "11cc8b6c-b888-4924-b9ca-38c05e6ad44b",
    }
    (event,) = hear(peer(), line)
    error = "a hook refused the message: Not allowed here."
    assert event == AgentEvent("session_error", {"code": "message_refused", "error": error})
