"""What the Gemini CLI's hooks report, from their own payloads."""

from __future__ import annotations

import json
from pathlib import Path

import clawtap_gemini
import pytest
from clawtap_gemini.cli_hooks.merge import merge_prompt

from clawtap_core import HookEndpoint, Kind, PromptForm, Question, QuestionOption
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.merging import merge_known

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


def form(payloads, event, at=0):
    return clawtap_gemini.parse_hook(event, payloads[event][at]).form


@pytest.mark.parametrize(("event", "payload"), PAYLOADS)
def test_every_payload_is_read_and_no_hook_waits(event, payload):
    report = clawtap_gemini.parse_hook(event, payload)
    assert report.cli_session_id == payload["session_id"]
    assert report.transcript == payload["transcript_path"]
    assert report.expects_reply is False
    assert (report.tool_finished is not None) is (event == "AfterTool")


def test_timeouts_are_milliseconds():
    config = clawtap_gemini.hook_config(HookEndpoint("/b"))
    assert config.path == ".gemini/settings.json"
    hooks = [each["hooks"][0] for (each,) in config.settings["hooks"].values()]
    assert {hook["timeout"] for hook in hooks} == {5000}


def test_a_command_that_the_screen_cuts_is_known_whole(payloads):
    seen = PromptForm(
        Kind.PERMISSION,
        "Allow execution of: 'touch'?",
        "touch hk.txt\n… first lines hidden",
        subject="s",
        truncated=True,
        tool_name="run_shell_command",
    )
    for known in (form(payloads, "BeforeTool"), form(payloads, "Notification")):
        one = clawtap_gemini.merge_prompt(seen, known)
        assert (one.description, one.truncated) == ("touch hk.txt", False)
        assert one.tool_input["command"] == "touch hk.txt"
        assert same_prompt(one, seen)
    other = form(payloads, "BeforeTool", 2)
    assert clawtap_gemini.merge_prompt(seen, other) is None


def test_a_diff_is_known_whole(payloads):
    known = form(payloads, "Notification", 2)
    assert "+x" in known.description
    seen = PromptForm(Kind.PERMISSION, "Apply this change?", "n.txt …", subject="s", truncated=True)
    assert clawtap_gemini.merge_prompt(seen, known).description == known.description


def test_a_question_is_that_of_the_call(payloads):
    known = form(payloads, "BeforeTool", 1)
    assert [option.label for option in known.questions[0].options] == ["A", "B"]
    asked = Question("Which?", options=(QuestionOption("A"),), other=True)
    seen = PromptForm(Kind.QUESTION, "Which?", questions=(asked,))
    one = clawtap_gemini.merge_prompt(seen, known)
    assert one.questions == (asked,)
    assert one.tool_input == known.tool_input
    other = PromptForm(Kind.QUESTION, "Else?", questions=(Question("Else?"),))
    assert clawtap_gemini.merge_prompt(other, known) is None


@pytest.mark.parametrize("known", [{}, {"command": "ls\nrm a"}])
def test_a_hook_shows_where_the_lines_of_a_command_end(known) -> None:
    seen = PromptForm(
        Kind.PERMISSION, "Allow?", "ls rm a", tool_input={"command": "ls rm a"}, rewrapped=True
    )
    reported = PromptForm(Kind.PERMISSION, "Shell", "ls\nrm a", tool_input=known)
    merged = merge_known(seen, reported)
    assert merged.rewrapped is not bool(known)
    assert merged.tool_input == (known or seen.tool_input)


def test_what_a_command_hides_from_the_screen_is_shown_and_left_to_a_person():
    shown, command = "printf 'one'  && ls", "printf 'one' \x1b]0;; touch hidden.txt\x07 && ls"
    asks = "Allow execution of [Shell]?"
    seen = PromptForm(Kind.PERMISSION, asks, shown, tool_input={"command": shown}, rewrapped=True)
    reported = PromptForm(Kind.PERMISSION, "Shell", command, tool_input={"command": command})
    merged = merge_prompt(seen, reported)
    assert "touch hidden.txt" in merged.description
    assert merged.tool_input == {"command": command}
    assert merged.rewrapped
