"""The file that a running Claude Code keeps about itself, as both versions wrote it."""

from __future__ import annotations

import json

import pytest
from clawtap_claude import parse_state_file, state_file

from clawtap_core import HookReport, SessionState

NAME = "6df63b1a-b2a9-4a76-8636-49601e0b6230"
BOTH = {"pid": 26299, "sessionId": NAME, "cwd": "/home/me/proj", "kind": "interactive"}


@pytest.mark.parametrize(
    ("env", "path"),
    [
        ({"HOME": "/home/me"}, "/home/me/.claude/sessions/42.json"),
        ({"HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/cfg"}, "/cfg/sessions/42.json"),
    ],
)
def test_the_file_lies_in_the_configuration_folder(env, path):
    assert state_file(env, 42) == path


@pytest.mark.parametrize("state", ["busy", "idle", "waiting"])
def test_the_newer_version_says_what_it_does(state):
    data = json.dumps({**BOTH, "version": "2.1.330", "status": state}).encode()
    assert parse_state_file(data) == HookReport(cli_session_id=NAME, state=SessionState(state))


def test_a_state_of_a_later_version_is_none():
    reply = parse_state_file(json.dumps({**BOTH, "status": "dreaming"}).encode())
    assert reply == HookReport(cli_session_id=NAME)


@pytest.mark.parametrize(
    "data", [json.dumps(BOTH).encode(), b"", b"{", b"[]", b'{"status": 3}', b"\xff\xfe"]
)
def test_a_file_that_is_not_kept_up_says_nothing(data):
    assert parse_state_file(data) is None
