"""What is read on screens of the real CLI, beyond their truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import clawtap_copilot
import pytest
from clawtap_copilot.keys.compose import compose
from clawtap_copilot.keys.control import control
from clawtap_copilot.launch import launch
from clawtap_copilot.merge import merge_prompt
from clawtap_copilot.screen.prompt import detect_prompt, parse_prompt
from recorded_cli import LONG_ANSWER, RecordedCli

from clawtap_core import (
    Effect,
    Expect,
    Interrupt,
    Kind,
    LaunchRequest,
    Paste,
    Pause,
    Position,
    Press,
    PromptForm,
    SessionState,
    SwitchMode,
    SwitchModel,
    Type,
)
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_tracker import PromptSighting

NEW, OLD = "1.0.102", "1.0.64"
BOTH = pytest.mark.parametrize("version", [NEW, OLD])
RECORDED = RecordedCli(clawtap_copilot, Path(__file__).with_name("recordings"), NEW)
screen, form, state = RECORDED.screen, RECORDED.form, RECORDED.state


@BOTH
@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_a_command_reads_alike_at_every_size(version: str, size: str) -> None:
    asked = form("bash", version, size)
    assert (asked.title, asked.tool_name) == ("Do you want to run this command?", "bash")
    assert asked.tool_input == {"command": "touch made.txt && ls"}
    effects = [option.effect for option in asked.options]
    assert effects == [Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS, Effect.DENY]
    assert asked.options[-1].label == "No, and tell Copilot what to do differently"
    assert "/home/me/proj" in asked.options[1].label
    assert asked.takes_reason


@BOTH
def test_each_file_outside_is_named_apart_and_so_is_where_a_link_leads(version: str) -> None:
    asked = form("paths", version, "110x40")
    files = ["/etc/hostname", "/etc/os-release", "/usr/lib/os-release", "/var/log/dpkg.log"]
    assert asked.tool_input == {"paths": files}
    assert form("path", version).tool_input == {"path": "/etc/hostname"}


@BOTH
def test_where_a_link_leads_is_added_to_the_same_prompt(version: str) -> None:
    # The CLI writes it, and the sentence about it, a moment after the rest.
    whole = screen("paths", version, "110x40")
    first = replace(
        whole,
        captured=tuple(
            row.replace(" -> /usr/lib/os-release", " " * 23)
            for row in whole.captured
            if "Permission is checked" not in row
        ),
    )
    seen, later = detect_prompt(first), detect_prompt(whole)
    assert seen is not None
    assert later is not None
    assert seen.tool_input != later.tool_input
    assert same_prompt(seen, later)


@BOTH
def test_typed_words_change_neither_the_prompt_nor_its_options(version: str) -> None:
    asked, typed = form("bash", version), form("bash-reason", version)
    assert (asked.title, asked.description) == (typed.title, typed.description)
    assert asked.options == typed.options


def test_words_in_the_field_that_are_not_yet_in_colour_make_no_other_question() -> None:
    painted = screen("single-top-cut-typed", OLD, "60x15")
    half = parse_prompt(replace(painted, captured=painted.lines))
    whole = parse_prompt(painted)
    assert half is not None
    assert whole is not None
    assert (half.field, same_prompt(half.form, whole.form)) == (None, True)


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_form_of_which_only_the_end_is_painted_is_no_prompt(kept: int) -> None:
    painted = screen("one-top-cut", NEW, "60x15")
    rows = painted.captured
    blank = ("",) * (len(rows) - kept - 1)
    assert parse_prompt(replace(painted, captured=(rows[0], *blank, *rows[-kept:]))) is None


@BOTH
def test_an_mcp_call_that_is_painted_after_its_dialog_is_not_an_answered_one(version: str) -> None:
    painted = screen("mcp", version)
    rows = zip(painted.lines, painted.captured, strict=True)
    early = replace(
        painted, captured=tuple("" if "(MCP: lab)" in row else raw for row, raw in rows)
    )
    asked, still = detect_prompt(early), detect_prompt(painted)
    assert asked is not None
    assert still is not None
    assert not PromptSighting(asked, early).answered(still, painted)
    assert still.answer_traces == ("add (MCP: lab) · a: 1, b: 2",)


@BOTH
def test_tools_are_told_apart_by_what_is_asked(version: str) -> None:
    names = {name: form(name, version).tool_name for name in ("edit", "path", "url", "mcp")}
    assert names == {"edit": "edit", "path": "path", "url": "url", "mcp": "lab-add"}
    assert form("path", version).tool_input == {"path": "/etc/hostname"}
    assert form("url", version).tool_input == {"url": "http://127.0.0.1:9/x"}
    assert form("mcp", version).tool_input == {"a": 1, "b": 2}
    assert "+   TWO" in form("edit", version).description


@BOTH
def test_a_command_whose_top_is_out_of_sight_has_no_input_until_the_transcript_has_it(
    version: str,
) -> None:
    cut = form("bash-long", version)
    assert cut.truncated
    assert cut.tool_input is None
    command = "for f in one two; do\n" + "\n".join(
        f"echo line {at} of a long command that goes on" for at in range(60)
    )
    call = {"command": command, "description": "Long"}
    reported = PromptForm(Kind.UNKNOWN, "", tool_name="bash", tool_input=call, tool_call_id="c1")
    whole = merge_prompt(cut, reported)
    assert whole is not None
    assert not whole.truncated
    assert whole.description.startswith("for f in one two")
    assert whole.tool_input == call
    other = replace(reported, tool_input={"command": "rm -rf /"})
    assert merge_prompt(cut, other) is None


@pytest.mark.parametrize("name", ["plan", "plan-long"])
def test_the_transcript_has_a_plan_as_it_was_written_and_whole(name: str) -> None:
    call = {"summary": "# The plan\n\n1. **Copy** it\n", "actions": ["interactive"]}
    reported = PromptForm(Kind.UNKNOWN, "", tool_name="exit_plan_mode", tool_input=call)
    seen = form(name)
    whole = merge_prompt(seen, reported)
    assert whole is not None
    assert not whole.truncated
    assert whole.tool_input == call
    assert whole.description == (call["summary"] if seen.truncated else seen.description)
    assert merge_prompt(seen, replace(reported, tool_name="bash")) is None


def test_a_change_whose_top_is_out_of_sight_is_described_by_its_call() -> None:
    call = {"path": "/home/me/proj/new.txt", "old_str": "one\ntwo", "new_str": "one\nTWO"}
    reported = PromptForm(Kind.UNKNOWN, "", tool_name="edit", tool_input=call)
    cut = replace(form("edit"), truncated=True)
    whole = merge_prompt(cut, reported)
    assert whole is not None
    assert whole.description == "/home/me/proj/new.txt\n one\n-two\n+TWO"
    for path in ("/home/me/proj/other.txt", "/home/me/proj/new", "/home/new.txt"):
        assert merge_prompt(cut, replace(reported, tool_input={**call, "path": path})) is None


@pytest.mark.parametrize("name", ["tabs-1", "tabs-2", "tabs-3", "tabs-4"])
def test_the_transcript_makes_a_form_one_prompt(name: str) -> None:
    fields = {
        "db": {
            "title": "Database",
            "description": "Where data goes",
            "enum": ["SQLite", "Postgres"],
        },
        "parts": {"title": "Parts", "type": "array", "items": {"enum": ["API", "UI", "DB"]}},
        "ok": {"title": "Deploy", "type": "boolean"},
        "name": {"title": "Name", "type": "string"},
    }
    call = {"message": "Some things.", "requestedSchema": {"properties": fields}}
    reported = PromptForm(Kind.UNKNOWN, "", tool_name="ask_user", tool_input=call)
    seen = form(name)
    whole = merge_prompt(seen, reported)
    assert whole is not None
    assert [question.header for question in whole.questions] == [
        "Database",
        "Parts",
        "Deploy",
        "Name",
    ]
    # What the call says of the open field is what its tab shows.
    assert seen.questions[0] in whole.questions
    others = {"message": "Some things.", "requestedSchema": {"properties": {"x": {}, "y": {}}}}
    assert merge_prompt(seen, replace(reported, tool_input=others)) is None


@BOTH
def test_a_call_is_merged_with_its_own_prompt_only(version: str) -> None:
    call = {"command": "touch made.txt && ls", "description": "Makes a file"}
    reported = PromptForm(Kind.UNKNOWN, "", tool_name="bash", tool_input=call)
    assert merge_prompt(form("bash", version), reported) is not None
    assert merge_prompt(form("mcp", version), reported) is None
    assert merge_prompt(form("url", version), reported) is None
    added = PromptForm(Kind.UNKNOWN, "", tool_name="lab-add", tool_input={"a": 1, "b": 2})
    assert merge_prompt(form("mcp", version), added) is not None


@BOTH
def test_a_command_with_control_characters_is_shown_as_it_is(version: str) -> None:
    seen = form("bash", version)
    for command in ("touch made.txt && ls\x1b]0; rm -rf build\x07", "touch \x1b[1mmade.txt && ls"):
        call = PromptForm(
            Kind.UNKNOWN, "", tool_name="bash", tool_input={"command": command}, tool_call_id="c"
        )
        merged = merge_prompt(seen, call)
        assert merged is not None
        assert merged.tool_input == {"command": command}
        assert merged.description.isprintable()
        assert merged.rewrapped


@BOTH
def test_a_rule_may_decide_a_command_only_once_the_events_have_it(version: str) -> None:
    seen = form("bash", version)
    call = PromptForm(
        Kind.UNKNOWN, "", tool_name="bash", tool_input={"command": "touch made.txt && ls"}
    )
    merged = merge_prompt(seen, call)
    assert merged is not None
    assert (seen.rewrapped, merged.rewrapped) == (True, False)


def test_several_permissions_say_how_many_there_are() -> None:
    assert form("parallel").position == Position(1, 2)


@BOTH
def test_a_folder_is_trusted_by_a_dialog_that_is_never_dismissed(version: str) -> None:
    trust = form("trust", version)
    assert (trust.dialog, trust.dismiss) == ("folder-trust", None)
    assert "/home/me/proj" in trust.description


@BOTH
def test_a_plan_offers_to_go_on_with_and_without_questions(version: str) -> None:
    plan = form("plan", version)
    effects = [option.effect for option in plan.options]
    assert effects == [Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS, Effect.OTHER]
    assert "1. Write code" in plan.description
    assert plan.text_input is not None


def test_a_form_says_which_field_is_open() -> None:
    positions = [form(f"tabs-{at}").position for at in (1, 2, 3, 4)]
    assert positions == [Position(at, 4) for at in (1, 2, 3, 4)]
    subjects = {form(f"tabs-{at}").subject for at in (1, 2, 3, 4)}
    assert len(subjects) == 4
    (question,) = form("tabs-1").questions
    assert (question.header, question.question) == ("Database", "Database\nWhere data goes")


def test_the_own_answer_is_read_below_the_form() -> None:
    fields = []
    for name in ("single", "single-other-open", "single-other-typed", "multi-other-left"):
        parsed = parse_prompt(screen(name))
        assert parsed is not None
        assert parsed.field is not None
        fields.append((parsed.field.focused, parsed.field.text))
    assert fields == [(False, None), (True, ""), (True, "MariaDB"), (False, None)]


@BOTH
def test_drafts_and_modes_are_read(version: str) -> None:
    assert (state("idle", version).draft, state("idle", version).mode) == ("", "interactive")
    assert state("idle-plan", version).mode == "plan"
    assert state("idle-autopilot", version).mode == "autopilot"
    assert state("draft", version).draft == "a draft"
    assert state("draft-lines", version).draft == "first line\nsecond line"
    assert state("draft-folded", version).draft == "[Paste #1 - 40 lines]"
    assert state("draft-wrapped", version).draft == ("word and another " * 14).strip()
    assert state("shell", version).draft == "!"


@pytest.mark.parametrize("name", ["bash-scrolled", "form-scrolled"])
def test_a_prompt_that_the_desk_scrolled_out_of_sight_still_waits(name: str) -> None:
    scrolled = state(name, size="80x15")
    assert (scrolled.state, scrolled.holds_back) == (SessionState.WAITING, True)


@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_a_draft_beside_a_bar_is_read(size: str) -> None:
    def draft(name: str) -> str:
        return state(name, "1.0.83", size).draft

    assert state("idle", "1.0.83", size).mode == "interactive"
    assert (draft("idle"), draft("draft")) == ("", "half a draft")
    assert draft("draft-lines") == "one line\nand two"
    assert draft("draft-wrapped") == (
        "one line\nthis is a draft that is so long that it has to be wrapped at the end of its row"
        " since no pane of 120 columns has room for it"
    )
    assert (draft("shell"), draft("shell-draft")) == ("!", "!ls")
    assert state("busy", "1.0.83", size).streaming == "This takes a while."


@BOTH
def test_an_answer_that_begins_with_a_heading_is_no_call(version: str) -> None:
    rows = state("busy-heading", version).streaming.split("\n")
    assert rows[0] == "All of it"
    assert rows[2].strip(" •-").startswith("From the alder to the alder and")


@BOTH
def test_the_answer_that_streams_is_read_and_a_call_is_none(version: str) -> None:
    assert state("busy", version).streaming.startswith("once upon a time")
    assert state("busy-tool", version).streaming == ""
    assert state("idle", version).streaming == ""


@pytest.mark.parametrize(
    ("version", "begun", "further"),
    [
        (
            NEW,
            ("birch to the juniper", "elm to the birc"),
            ("elm to the cedar", "fir to the larch"),
        ),
        (
            OLD,
            ("birch to the alder", "cedar to the hazel"),
            ("elm to the elm", "f"),
        ),
    ],
)
def test_of_an_answer_longer_than_the_pane_the_visible_rows_are_read(
    version: str, begun: tuple[str, str], further: tuple[str, str]
) -> None:
    assert RECORDED.ends_of_long_answer(version) == [begun, further]
    for name in LONG_ANSWER:  # it might be a long message of the user
        assert state(name, version).streaming == ""


def test_another_tab_of_the_cli_hides_a_prompt_and_ends_none() -> None:
    seen = state("sessions")
    assert seen is not None
    assert (seen.state, seen.holds_back) == (SessionState.WAITING, True)


@BOTH
def test_escape_is_pressed_until_the_cli_stops(version: str) -> None:
    progress = None
    for name, gone in (("busy", False), ("busy-escape", True)):
        steps = control(Interrupt(), screen(name, version), progress)
        assert steps is not None
        assert steps.steps == (Press("Escape", deciding=True), Expect("esc again", gone=gone))
        progress = steps.progress
    # Having taken both, it may show the first footer once more.
    waits = control(Interrupt(), screen("busy", version), progress)
    assert waits is not None
    assert waits.steps == (Pause(0.25),)
    stopped = control(Interrupt(), screen("interrupted", version), waits.progress)
    assert stopped is not None
    assert (stopped.steps, stopped.done) == ((), True)
    assert control(Interrupt(), screen("idle", version), None) is None


@pytest.mark.parametrize("size", ["120x40", "60x20"])
def test_a_command_that_was_left_running_in_the_background_is_no_work(size: str) -> None:
    seen = state("background-shell", NEW, size)
    assert (seen.state, seen.draft) == (SessionState.IDLE, "")
    assert control(Interrupt(), screen("background-shell", NEW, size), None) is None


@BOTH
def test_modes_are_switched_from_an_empty_composer_only(version: str) -> None:
    steps = control(SwitchMode("plan"), screen("idle", version), None)
    assert steps is not None
    assert steps.steps == (Press("BTab"),)
    assert control(SwitchMode("plan"), screen("draft", version), None) is None
    assert control(SwitchMode("plan"), screen("bash", version), None) is None
    assert control(SwitchMode("yolo"), screen("idle", version), None) is None
    assert control(SwitchModel("gpt"), screen("idle", version), None) is None


@BOTH
def test_a_folded_paste_is_sent_and_another_text_is_not(version: str) -> None:
    text = "\n".join(f"line {number} of it" for number in range(40))
    placed = compose(text, screen("idle", version), None)
    assert placed is not None
    assert placed.steps[0] == Paste(text)
    sent = compose(text, screen("draft-folded", version), placed.progress)
    assert sent is not None
    assert sent.steps == (Press("Enter", deciding=True),)
    waits = compose(f"{text}\nmore", screen("draft-folded", version), placed.progress)
    assert waits is not None
    assert not any(isinstance(step, Press) for step in waits.steps)


@pytest.mark.parametrize(
    ("text", "placed"),
    [
        ("/etc/hosts is a file", Type(" /etc/hosts is a file")),
        ("/compact", Type("/compact")),
        ("?what", Paste("?what")),
    ],
)
def test_no_text_opens_a_menu_or_a_help_page(text: str, placed: Type | Paste) -> None:
    steps = compose(text, screen("idle"), None)
    assert steps is not None
    assert steps.steps[0] == placed


@pytest.mark.parametrize("text", ["!ls", " ! rm -rf build"])
def test_a_message_that_would_run_in_a_shell_is_refused(text: str) -> None:
    assert compose(text, screen("idle"), None) is None


@pytest.mark.parametrize("text", ["/unknown", "/theme", "/", "/unknown and words"])
def test_a_command_that_an_older_version_would_run_is_not_sent(text: str) -> None:
    for name in ("idle", "idle-plan", "idle-autopilot"):
        for size in ("120x40", "60x20"):
            assert compose(text, screen(name, OLD, size), None) is None
            steps = compose(text, screen(name, NEW, size), None)
            assert steps is not None
            assert steps.steps[0] == Type(f" {text}")
    for usual in ("/compact", "/home/me is my folder"):
        assert compose(usual, screen("idle", OLD), None) is not None


def test_the_command_line_names_mode_model_and_conversation() -> None:
    request = LaunchRequest(
        "copilot",
        "/proj",
        model="gpt-6",
        permission_mode="plan",
        resume="0cb916db",
        args=("--no-mouse",),
    )
    started = launch(request)
    assert started is not None
    flags = ("--mode=plan", "--model=gpt-6", "--resume=0cb916db", "--no-mouse")
    assert started.argv == ("copilot", *flags)
    assert (started.cli_session_id, started.includes_message) == ("0cb916db", False)
    assert launch(LaunchRequest("copilot", "/proj", permission_mode="yolo")) is None


def test_a_new_conversation_has_an_id_from_the_start() -> None:
    started = launch(LaunchRequest("copilot", "/proj"))
    assert started is not None
    assert started.argv[1:] == (f"--session-id={started.cli_session_id}",)
    own = launch(LaunchRequest("copilot", "/proj", args=("--continue",)))
    assert own is not None
    assert own.cli_session_id is None


def test_a_form_whose_rule_is_painted_in_part_is_none_yet() -> None:
    whole = screen("text", NEW, "60x20")
    rule = next(at for at in range(len(whole.lines) - 1, 0, -1) if whole.lines[at])
    rows = list(whole.captured)
    rows[rule] = whole.lines[rule][:2]
    assert detect_prompt(replace(whole, captured=tuple(rows))) is None


@pytest.mark.parametrize("version", ["1.0.102", "1.0.64"])
def test_a_narrow_pane_shows_what_is_typed_beside_the_hint(version: str) -> None:
    for name, typed in (("bash-no", ""), ("bash-reason", "use tmp")):
        parsed = parse_prompt(screen(name, version, "60x20"))
        assert parsed is not None
        assert parsed.field is not None
        assert (parsed.field.focused, parsed.field.text) == (True, typed)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("bash-emoji", "touch 👍🏽 skin 👩🏽‍💻 x"),
        ("bash-families", "touch 👨‍👩‍👧‍👨‍👩‍👧‍ 'two families' " + "word " * 14),
        ("bash-emoji-older-rows", "touch 🇩🇪 flag ❤️ heart 1️⃣ key " + "word " * 14 + " 👩🏽‍💻 end"),
    ],
)
def test_a_command_with_emoji_that_overflow_their_row_is_read(name: str, command: str) -> None:
    asked = form(name, NEW, "100x40")
    assert asked.description.split() == f"{command} Runs it".split()
    assert [option.effect for option in asked.options] == [
        Effect.ALLOW_ONCE,
        Effect.ALLOW_ALWAYS,
        Effect.DENY,
    ]
    labels = [option.label for option in asked.options]
    assert labels[1].endswith("/proj14)")
    assert labels[2] == "No, and tell Copilot what to do differently"


def test_a_form_of_a_server_of_tools_names_the_server_and_can_be_declined() -> None:
    asked = form("server-text", NEW, "100x40")
    assert (asked.title, asked.description) == ("lab needs information.", "Please say it all")
    assert asked.questions[0].header == "Name"
    assert not asked.questions[0].required
    assert asked.position == Position(1, 8)
    assert [option.label for option in asked.options] == ["Decline", "Cancel"]
    listed = form("server-list", NEW, "100x40").questions[0]
    assert [option.label for option in listed.options] == ["red", "green", "blue", "dark grey"]


def test_a_field_says_why_its_value_is_not_taken() -> None:
    asked = form("server-required", NEW, "100x40")
    assert asked.questions[0].header == "Version"
    assert asked.description == "Please describe the release\nThis field is required"


def test_a_form_without_fields_and_a_page_to_open_offer_the_keys_that_they_take() -> None:
    confirm, page = (form(f"server-{name}", NEW, "100x40") for name in ("confirm", "page"))
    assert [option.label for option in confirm.options] == ["Accept", "Decline", "Cancel"]
    assert confirm.description == "Publish release 1.2.3?"
    assert [option.label for option in page.options] == ["Open", "Cancel"]
    assert page.description.endswith("https://example.com/sign-in?a=1")
