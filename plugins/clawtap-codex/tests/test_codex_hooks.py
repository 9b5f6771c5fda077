"""What Codex's hooks report, from their own payloads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import clawtap_codex
import pytest
from clawtap_codex.cli_hooks.mcp_call import argument_rows
from clawtap_codex.live.home import settings

from clawtap_core import HookEndpoint, Kind, Option, PromptForm, Screen
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.testing import Recording

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
VERSIONS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (HERE / "hooks").glob("*.json")
}
NEW = VERSIONS["0.169.0"]
PAYLOADS = [
    pytest.param(event, payload, id=f"{version}-{event}-{at}")
    for version, events in VERSIONS.items()
    for event, payloads in events.items()
    for at, payload in enumerate(payloads)
]


def reported(event, tool):
    payload = next(each for each in NEW[event] if each["tool_name"] == tool)
    return clawtap_codex.parse_hook(event, payload).form


@pytest.mark.parametrize(("event", "payload"), PAYLOADS)
def test_every_payload_is_read_and_no_hook_waits(event, payload):
    report = clawtap_codex.parse_hook(event, payload)
    assert report.cli_session_id == payload["session_id"]
    assert report.transcript == payload["transcript_path"]
    assert report.expects_reply is False
    assert (report.form is not None) is (event in ("PreToolUse", "PermissionRequest"))
    assert (report.tool_finished is not None) is (event == "PostToolUse")


def test_new_versions_are_asked_to_trust_and_old_ones_switched_on():
    new = clawtap_codex.hook_config(HookEndpoint("/b", {}, "0.169.0"))
    assert (new.path, new.also) == (".codex/hooks.json", ())
    assert "trust" in new.note
    old = clawtap_codex.hook_config(HookEndpoint("/b", {"CODEX_HOME": "/c"}, "0.116.0"))
    assert (old.path, old.also[0].path) == ("/c/hooks.json", "/c/config.toml")
    assert set(old.settings["hooks"]) == {"SessionStart", "UserPromptSubmit", "Stop"}


def test_two_reports_of_one_call_are_one():
    one = clawtap_codex.merge_prompt(
        reported("PermissionRequest", "Bash"), reported("PreToolUse", "Bash")
    )
    assert one.tool_call_id == reported("PreToolUse", "Bash").tool_call_id
    assert one.tool_input == {"command": "git push origin main", "description": "Push?"}
    patch = reported("PermissionRequest", "apply_patch"), reported("PreToolUse", "apply_patch")
    assert clawtap_codex.merge_prompt(*patch).tool_call_id == patch[1].tool_call_id
    assert clawtap_codex.merge_prompt(one, patch[1]) is None


def test_a_screen_and_a_hook_are_one_prompt_with_one_fingerprint():
    seen = PromptForm(
        Kind.PERMISSION,
        "Would you like to run the following command?",
        "Environment: local\nReason: Push?\n$ git push",
        truncated=True,
        tool_name="exec_command",
        options=(Option("yes", "Yes"),),
    )
    known = replace(reported("PreToolUse", "Bash"), description="git push …\nand more")
    one = clawtap_codex.merge_prompt(seen, known)
    assert (one.options, one.truncated) == (seen.options, False)
    assert one.description == known.description
    assert same_prompt(one, seen)
    whole = replace(seen, description="$ git push origin main", truncated=False)
    merged = clawtap_codex.merge_prompt(whole, reported("PreToolUse", "Bash"))
    assert same_prompt(merged, whole)
    assert clawtap_codex.merge_prompt(replace(whole, description="$ ls"), known) is None


def call(**given):
    return PromptForm(
        Kind.UNKNOWN, "", tool_name="exec_command", tool_input=given, tool_call_id="call-1"
    )


def shown(command):
    return PromptForm(
        Kind.PERMISSION,
        "Would you like to run the following command?",
        f"Environment: local\nReason: Push?\n$ {command}",
        tool_name="exec_command",
        tool_input={"command": command},
        options=(Option("yes", "Yes"),),
        rewrapped=True,
    )


@pytest.mark.parametrize(
    ("given", "command", "text"),
    [
        ({"cmd": "cat src\t/etc/passwd"}, "cat src/etc/passwd", "$ cat src\t/etc/passwd"),
        ({"cmd": "echo a\x1b[2Kb"}, "echo a[2Kb", "$ echo a\\x1b[2Kb"),
        ({"cmd": "cat a", "workdir": "/etc"}, "cat a", "Folder: /etc\n$ cat a"),
        ({"cmd": "cat a", "shell": "./evil"}, "cat a", "Shell: ./evil\n$ cat a"),
    ],
)
def test_what_the_screen_hides_of_a_command_is_shown_as_the_transcript_has_it(given, command, text):
    asked = call(justification="Push?", sandbox_permissions="require_escalated", **given)
    one = clawtap_codex.merge_prompt(shown(command), asked)
    others = {name: value for name, value in given.items() if name != "cmd"}
    assert one.tool_input == {"command": given["cmd"], **others}
    assert one.description == f"Reason: Push?\n{text}"
    assert (one.tool_call_id, one.truncated, one.rewrapped) == ("call-1", False, False)
    assert same_prompt(one, shown(command))


def in_a_low_pane(notes):
    prefix = Option("always", "Yes, and don't ask again for commands that start with `touch a`")
    return replace(shown(""), description=notes, tool_input=None, truncated=True, options=(prefix,))


def test_a_low_pane_that_shows_the_notes_alone_is_about_the_call_with_these_notes():
    seen = in_a_low_pane("Environment: local\nReason: Push?")
    one = clawtap_codex.merge_prompt(seen, call(cmd="touch a b c", justification="Push?"))
    assert (one.tool_input, one.truncated) == ({"command": "touch a b c"}, False)
    for other in (
        call(cmd="touch b", justification="Push?"),
        call(cmd="touch a b c", justification="Pull?"),
    ):
        assert clawtap_codex.merge_prompt(seen, other) is None
    # The environment is that of every call.
    about = call(cmd="touch a b c", justification="Push?")
    assert clawtap_codex.merge_prompt(in_a_low_pane("Environment: local"), about) is None


def test_a_call_whose_command_is_a_part_of_the_one_shown_is_another():
    assert clawtap_codex.merge_prompt(shown("rm -r build /etc"), call(cmd="rm -r build")) is None
    assert clawtap_codex.merge_prompt(shown("rm -r build"), call(cmd="rm -r build /etc")) is None


def test_a_hook_does_not_report_the_folder_of_a_command():
    hook = reported("PreToolUse", "Bash")
    one = clawtap_codex.merge_prompt(shown("git push origin main"), hook)
    assert one.rewrapped
    given = {"cmd": "git push origin main", "workdir": "/other"}
    for both in ((hook, call(**given)), (call(**given), hook)):
        whole = clawtap_codex.merge_prompt(*(replace(each, tool_call_id=None) for each in both))
        assert whole.tool_input == {"command": "git push origin main", "workdir": "/other"}
        assert not whole.rewrapped


def tool_call(tool: str, **arguments: object) -> PromptForm:
    """A call as the transcript has it."""
    return PromptForm(Kind.UNKNOWN, tool, tool_name=tool, tool_input=arguments, tool_call_id="c1")


def test_the_transcript_makes_questions_one_prompt():
    seen = clawtap_codex.detect_prompt(
        Recording.load(RECORDINGS / "0.169.0" / "question_3_q2-120x40.ansi").screen
    )
    texts = ("Which database?", "How should users sign in?", "Where does it run?")
    asked = [{"question": text, "options": [{"label": "One"}]} for text in texts]
    whole = clawtap_codex.merge_prompt(seen, tool_call("request_user_input", questions=asked))
    assert [question.question for question in whole.questions] == list(texts)
    assert all(question.other and question.notes for question in whole.questions)
    assert whole.position is None
    others = tool_call("request_user_input", questions=asked[:1])
    assert clawtap_codex.merge_prompt(seen, others) is None


# As 0.116.0 draws it at 60x15.
NOTES_ALONE = """

  Would you like to run the following command?

  Reason: because because because because because because
  because because because

  [… 8 lines] ctrl + a view all

› 1. Yes, proceed (y)
  2. Yes, and don't ask again for commands that start with
     `touch size.txt` (p)
  3. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel"""


@pytest.mark.parametrize(
    ("command", "reason", "same"),
    [
        ("touch size.txt && echo words", "because " * 9, True),
        ("touch other.txt", "because " * 9, False),
        ("touch size.txt && echo words", "no reason", False),
    ],
)
def test_a_command_that_is_out_of_sight_is_known_by_its_reason(command, reason, same):
    seen = clawtap_codex.detect_prompt(Screen(tuple(NOTES_ALONE.split("\n")), 60, 15))
    asks = {"cmd": command, "justification": reason, "sandbox_permissions": "require_escalated"}
    whole = clawtap_codex.merge_prompt(seen, tool_call("exec_command", **asks))
    assert (whole is not None) is same
    if whole:
        assert whole.tool_input == {"command": command}
        assert whole.description.endswith(f"$ {command}")


def mcp_prompt(*rows: str, **shown: object) -> PromptForm:
    """The prompt of a tool of an MCP server, with what the screen shows of its arguments."""
    asks = 'Allow the lab MCP server to run tool "delete_note"?'
    return PromptForm(
        Kind.PERMISSION,
        asks,
        "\n".join(rows),
        tool_name="lab.delete_note",
        tool_input=shown or None,
    )


WHY = "because of it " * 12


@pytest.mark.parametrize(
    ("seen", "same"),
    [
        (mcp_prompt(), True),
        (mcp_prompt("id: n1", f"why: {WHY[:53]}..."), True),
        (mcp_prompt("id: n2", f"why: {WHY[:53]}..."), False),
        (mcp_prompt("id: n1"), False),
        (mcp_prompt(id="n1", why=WHY), True),
        (mcp_prompt(id="n2", why=WHY), False),
    ],
)
@pytest.mark.parametrize(
    "tool", ["mcp__lab__delete_note", "mcp__other__delete_note", "mcp__lab__x"]
)
def test_a_call_of_an_mcp_tool_is_known_by_its_name_and_what_is_shown_of_it(seen, same, tool):
    whole = clawtap_codex.merge_prompt(seen, tool_call(tool, id="n1", why=WHY))
    if not same or tool != "mcp__lab__delete_note":
        assert whole is None
        return
    assert whole.tool_input == {"id": "n1", "why": WHY}
    assert whole.tool_name == "lab.delete_note"
    # What nobody can check on the screen answers no rule.
    assert whole.rewrapped is not (seen.description or seen.tool_input is not None)


def test_arguments_are_written_as_the_cli_draws_them() -> None:
    # As 0.171.0 drew it.
    assert argument_rows(tool_call("lab.delete", l=["日本", "é"])) == ['l: ["日本", "é"]']


def test_folders_of_any_name_are_trusted_on_trial() -> None:
    config = settings("0.171.0", "http://127.0.0.1", [Path("/日本 \U0001f468")])
    assert '[projects."/日本 \U0001f468"]' in config


def patch_of(*rows):
    text = "\n".join(("*** Begin Patch", "*** Update File: a.py", "@@", *rows, "*** End Patch"))
    return PromptForm(
        Kind.UNKNOWN, "", tool_name="apply_patch", tool_input={"input": text}, tool_call_id="p1"
    )


def test_a_patch_of_a_transcript_is_the_one_whose_rows_are_shown():
    title = "Would you like to make the following edits?"
    about = "a.py (+2 -2)\n    1 -one\n    1 +ones and more\n    2 -two\n    2 +twos"
    seen = PromptForm(Kind.PERMISSION, title, about, tool_name="apply_patch")
    changed = ("-one", "+ones and more", "-two", "+twos")
    one = clawtap_codex.merge_prompt(seen, patch_of(*changed))
    assert one.tool_input == patch_of(*changed).tool_input
    other = patch_of(*changed[:3], "+two and a half")
    assert clawtap_codex.merge_prompt(seen, other) is None
    # A screen that shows a part has most of the rows, and may lack what it painted over.
    part = replace(seen, truncated=True, description=about.replace("ones and", "ones+and"))
    whole = clawtap_codex.merge_prompt(part, patch_of(*changed))
    assert "+ones and more" in whole.description
    assert not whole.truncated
    assert clawtap_codex.merge_prompt(part, patch_of("-three", "+threes")) is None
