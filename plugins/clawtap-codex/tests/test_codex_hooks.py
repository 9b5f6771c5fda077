"""What Codex's hooks report, from their own payloads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import clawtap_codex
import pytest

from clawtap_core import HookEndpoint, Kind, Option, PromptForm
from clawtap_core.prompts.identity import same_prompt

HERE = Path(__file__).parent
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
        "Reason: Push?\ngit push …",
        truncated=True,
        tool_name="exec_command",
        options=(Option("yes", "Yes"),),
    )
    known = replace(reported("PreToolUse", "Bash"), description="git push …\nand more")
    one = clawtap_codex.merge_prompt(seen, known)
    assert (one.options, one.truncated) == (seen.options, False)
    assert one.description == known.description
    assert same_prompt(one, seen)
    whole = replace(seen, description="git push origin main", truncated=False)
    merged = clawtap_codex.merge_prompt(whole, reported("PreToolUse", "Bash"))
    assert same_prompt(merged, whole)
    assert clawtap_codex.merge_prompt(replace(whole, description="ls"), known) is None
