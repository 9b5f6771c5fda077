"""What Claude Code's hooks report, from their own payloads, and what they return."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import clawtap_claude
import pytest

from clawtap_core import Effect, HookEndpoint, Kind, PromptForm, Response, Screen, SessionState
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.testing.recordings import read_screen

HERE = Path(__file__).parent
VERSIONS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (HERE / "hooks").glob("*.json")
}
PAYLOADS = [
    pytest.param(event, payload, id=f"{version}-{event}-{at}")
    for version, events in VERSIONS.items()
    for event, payloads in events.items()
    for at, payload in enumerate(payloads)
]


@pytest.fixture(params=VERSIONS)
def payloads(request):
    """The payloads of one version, by event."""
    return VERSIONS[request.param]


def asked(payloads, tool, event="PermissionRequest"):
    payload = next(each for each in payloads[event] if each["tool_name"] == tool)
    return clawtap_claude.parse_hook(event, payload).form


def decided(form, **response):
    answer = clawtap_claude.answer_hook(form, Response("r", **response))
    return answer and answer["hookSpecificOutput"]["decision"]


def shown(version, name):
    path = next((HERE / "recordings" / version).glob(f"{name}-*.ansi"))
    cols = int(path.stem.rpartition("-")[2].split("x")[0])
    return clawtap_claude.detect_prompt(Screen.from_text(path.read_text("utf-8"), cols=cols))


@pytest.mark.parametrize(("event", "payload"), PAYLOADS)
def test_every_payload_is_read(event, payload):
    report = clawtap_claude.parse_hook(event, payload)
    if event in ("Notification", "SubagentStop"):
        assert report is None
        return
    assert report.cli_session_id == payload["session_id"]
    assert report.transcript == payload["transcript_path"]
    assert report.cwd == payload["cwd"]
    assert report.expects_reply is (event == "PermissionRequest")
    assert (report.form is not None) is (event in ("PreToolUse", "PermissionRequest"))
    assert (report.tool_finished is not None) is event.startswith("PostToolUse")


def test_a_session_begins_works_rests_and_ends(payloads):
    states = {
        event: clawtap_claude.parse_hook(event, payloads[event][0]).state
        for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    }
    assert list(states.values()) == [
        SessionState.IDLE,
        SessionState.BUSY,
        SessionState.IDLE,
        SessionState.ENDED,
    ]
    begun = [
        clawtap_claude.parse_hook("SessionStart", each).conversation_start
        for each in payloads["SessionStart"]
    ]
    assert begun == ["startup", "compact", "clear"]


def test_the_hooks_stand_where_the_cli_looks_for_its_settings():
    config = clawtap_claude.hook_config(HookEndpoint("/data dir/bridge"))
    assert config.path == ".claude/settings.json"
    (entry,) = config.settings["hooks"]["PermissionRequest"]
    assert entry["hooks"][0]["command"] == "'/data dir/bridge' claude PermissionRequest wait"
    assert entry["hooks"][0]["timeout"] > 3600
    elsewhere = HookEndpoint("/b", {"CLAUDE_CONFIG_DIR": "/other"})
    assert clawtap_claude.hook_config(elsewhere).path == "/other/settings.json"


def test_a_command_is_allowed_with_what_it_was_given(payloads):
    form = asked(payloads, "Bash")
    assert form.description.startswith("touch made.txt && echo done")
    allowed = decided(form, selected_option="yes")
    assert allowed == {"behavior": "allow", "updatedInput": dict(form.tool_input)}


def test_a_permission_for_longer_is_given_back_to_the_letter(payloads):
    for payload in payloads["PermissionRequest"]:
        form = clawtap_claude.parse_hook("PermissionRequest", payload).form
        always = [each for each in form.options if each.effect is Effect.ALLOW_ALWAYS]
        if form.kind is not Kind.PERMISSION:
            continue
        given = [decided(form, selected_option=o.value)["updatedPermissions"][0] for o in always]
        assert given == payload["permission_suggestions"]


def test_what_only_the_screen_offers_is_left_to_keys(payloads):
    form = asked(payloads, "Bash")
    seen = replace(form, options=tuple(replace(each, data=None) for each in form.options))
    always = next(each for each in seen.options if each.effect is Effect.ALLOW_ALWAYS)
    assert decided(seen, selected_option=always.value) is None


def test_a_refusal_with_a_reason_lets_the_turn_go_on(payloads):
    form = asked(payloads, "Bash")
    assert decided(form, selected_option="no", reason="not here") == {
        "behavior": "deny",
        "message": "not here",
    }
    assert decided(form, decision="deny")["interrupt"] is True


def test_questions_are_answered_by_their_own_words(payloads):
    form = asked(payloads, "AskUserQuestion")
    form = replace(form, questions=form.questions[:1])
    assert (form.kind, form.questions[0].other) == (Kind.QUESTION, True)
    answer = decided(form, answers={"0": "SQLite"})
    assert answer["updatedInput"] == {
        **form.tool_input,
        "answers": {"Which database should we use?": "SQLite"},
    }
    assert decided(form, answers={"0": ("Login", "Export")})["updatedInput"]["answers"] == {
        "Which database should we use?": "Login, Export"
    }
    assert decided(form, answers={"0": "Chat about this"}) is None
    assert decided(form, answers={}) is None


def test_a_plan_is_approved_sent_back_or_refused(payloads):
    form = asked(payloads, "ExitPlanMode")
    assert (form.kind, form.text_input is not None) == (Kind.PLAN, True)
    by_hand, auto = (
        next(each for each in form.options if each.effect is effect)
        for effect in (Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS)
    )
    assert decided(form, selected_option=by_hand.value) == {
        "behavior": "allow",
        "updatedInput": dict(form.tool_input),
    }
    edits = decided(form, selected_option=auto.value)["updatedPermissions"]
    assert edits == [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]
    assert decided(form, text_value="add tests") == {"behavior": "deny", "message": "add tests"}


def test_two_reports_of_one_call_are_one(payloads):
    before = asked(payloads, "Bash", "PreToolUse")
    one = clawtap_claude.merge_prompt(asked(payloads, "Bash"), before)
    assert one.tool_call_id == before.tool_call_id
    assert one.options == asked(payloads, "Bash").options
    other = replace(before, tool_call_id="another")
    assert clawtap_claude.merge_prompt(one, other) is None
    assert clawtap_claude.merge_prompt(one, asked(payloads, "Edit", "PreToolUse")) is None


def test_a_call_in_a_transcript_is_the_same(payloads):
    payload = next(
        each for each in payloads["PreToolUse"] if each["tool_name"] == "AskUserQuestion"
    )
    known = PromptForm(
        Kind.UNKNOWN,
        "",
        tool_name="AskUserQuestion",
        tool_input=payload["tool_input"],
        tool_call_id=payload["tool_use_id"],
    )
    one = clawtap_claude.merge_prompt(asked(payloads, "AskUserQuestion"), known)
    if payload["tool_input"] == asked(payloads, "AskUserQuestion").tool_input:
        assert one.tool_call_id == payload["tool_use_id"]
    assert clawtap_claude.merge_prompt(asked(payloads, "Bash"), known) is None


def test_a_subagent_is_named_by_its_task_which_only_its_transcript_knows(payloads):
    hook = replace(asked(payloads, "Bash", "PreToolUse"), origin="general-purpose")
    screen = replace(hook, tool_call_id=None)

    def origin(seen, reported):
        return clawtap_claude.merge_prompt(seen, reported).origin

    def called(by):
        call = {"tool_name": hook.tool_name, "tool_input": hook.tool_input}
        return PromptForm(Kind.UNKNOWN, "", tool_call_id=hook.tool_call_id, origin=by, **call)

    task = called("Clean up")
    assert origin(screen, hook) == "general-purpose"
    assert origin(task, hook) == origin(hook, task) == origin(screen, task) == "Clean up"
    assert origin(screen, clawtap_claude.merge_prompt(hook, task)) == "Clean up"
    nameless = called("a56f6b26adc6927d2")
    assert origin(nameless, hook) == origin(hook, nameless) == "general-purpose"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_screen_and_a_hook_are_one_prompt(version):
    seen = shown(version, "bash_long")
    command = "\n".join(line for line in seen.description.split("\n") if line)
    known = asked(VERSIONS[version], "Bash", "PreToolUse")
    known = replace(known, tool_input={"command": command}, description=command)
    one = clawtap_claude.merge_prompt(seen, known)
    assert one is not None
    assert one.options == seen.options
    assert one.tool_call_id == known.tool_call_id
    assert same_prompt(one, seen)
    unlike = replace(known, tool_name="WebFetch", tool_input={"url": "http://x"}, description="u")
    assert clawtap_claude.merge_prompt(seen, unlike) is None


def test_of_two_long_edits_of_one_file_the_screen_shows_only_one():
    def edit(word):
        new = "\n".join(f"{word} line {number}" for number in range(150))
        given = {"file_path": "/w/long.txt", "old_string": "x", "new_string": new}
        return clawtap_claude.parse_hook(
            "PermissionRequest", {"tool_name": "Edit", "tool_input": given}
        ).form

    rows = [f" {number} +second line {number}" for number in range(120, 150)]
    question = "Do you want to make this edit to long.txt?"
    seen = PromptForm(
        Kind.PERMISSION, "Edit file", "\n".join(("…", *rows, question)), truncated=True
    )
    assert clawtap_claude.merge_prompt(seen, edit("first")) is None
    merged = clawtap_claude.merge_prompt(seen, edit("second"))
    assert merged.tool_input["new_string"].startswith("second line 0")
    assert "first" not in merged.description


# What 2.1.332 shows of the calls of an MCP server; its title has their names in words.
MCP_CALLS = {
    "Yes": ({"a": "yes"}, 'a: "yes"'),
    "no__lab__greet": ({"name": "\x1b[31mred\u202e"}, 'name: "\ufffd[31mred\ufffd"'),
    "a-b_c": ({"n": 1.5, "l": [1, {"k": "v"}], "b": False}, 'n: 1.5\nl: [1, { k: "v" }]\nb: false'),
    "delete": ({"why": "a\n❯ 1. Yes\n  2. No"}, "why:\n  │ a\n  │ ❯ 1. Yes\n  │   2. No"),
}


@pytest.mark.parametrize("tool", MCP_CALLS)
def test_a_call_of_an_mcp_server_is_told_by_its_own_name_and_input(tool):
    tool_input, description = MCP_CALLS[tool]
    guess = {"no__lab__greet": "no_lab_greet"}.get(tool, tool.casefold())
    seen = PromptForm(Kind.PERMISSION, "Tool use", description, tool_name=f"mcp__lab__{guess}")
    known = PromptForm(Kind.UNKNOWN, "", tool_name=f"mcp__lab__{tool}", tool_input=tool_input)
    one = clawtap_claude.merge_prompt(seen, known)
    assert (one.tool_name, one.tool_input) == (known.tool_name, tool_input)
    read = replace(seen, tool_input=tool_input)
    assert clawtap_claude.merge_prompt(read, known).tool_name == known.tool_name
    other = replace(known, tool_name="mcp__lab__other")
    assert clawtap_claude.merge_prompt(seen, other) is None


@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_a_name_that_the_cli_cuts_is_completed_by_the_call_that_it_begins(size):
    recording = HERE / "recordings" / "2.1.332" / f"mcp_long_name-{size}.json"
    data = json.loads(recording.read_text("utf-8"))
    screen = read_screen(recording.with_suffix(".ansi").read_text("utf-8"), data)
    seen = clawtap_claude.detect_prompt(screen)
    assert (seen.tool_name, seen.tool_input, seen.truncated) == (None, None, True)
    server = "server_with_a_quite_long_name_that_wraps_in_panes_xxxxxxxx"

    def called(tool, **tool_input):
        known = PromptForm(Kind.UNKNOWN, "", tool_name=tool, tool_input=tool_input)
        return clawtap_claude.merge_prompt(seen, known)

    whole = called(f"mcp__{server}__read_note", name="a note")
    assert (whole.tool_name, whole.truncated) == (f"mcp__{server}__read_note", False)
    assert called(f"mcp__{server}__read_note", name="another") is None
    assert called("mcp__lab__read_note", name="a note") is None
