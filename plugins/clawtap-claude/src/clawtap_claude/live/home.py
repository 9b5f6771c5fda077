"""A HOME for Claude Code in which it starts without a dialog, or with the one that is wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KEY = "dummy"
_LOGIN = {
    "accessToken": "dummy",
    "refreshToken": "dummy",
    "expiresAt": 4102444800000,
    "scopes": ["user:inference", "user:profile"],
    "subscriptionType": "pro",
}


def config(
    version: str,
    folders: Iterable[Path],
    *,
    trust: bool = True,
    nudge: bool = False,
    key: bool = True,
    vim: bool = False,
    login: bool = False,
    mcp_server: Path | None = None,
) -> dict[str, Any]:
    """The CLI's own state. Turn one around, and the dialog of that name comes.

    `mcp_server` is a script that the CLI knows as the server `lab`.
    """
    known = {"hasCompletedProjectOnboarding": True, "projectOnboardingSeenCount": 4}
    server = {"command": sys.executable, "args": [str(mcp_server)]}
    project = {**known, "hasTrustDialogAccepted": trust}
    state: dict[str, Any] = {
        "numStartups": 3,
        "hasCompletedOnboarding": True,
        "lastOnboardingVersion": version,
        "lastReleaseNotesSeen": version,
        "theme": "dark",
        "mcpServers": {"lab": server} if mcp_server else {},
        "projects": {str(folder): project for folder in folders},
    }
    if vim:
        state["editorMode"] = "vim"
    if not nudge:
        state["hasSeenAutoDefaultNudge"] = True
    if login:
        state["customApiKeyResponses"] = {"approved": [], "rejected": [KEY]}
    elif key:
        state["customApiKeyResponses"] = {"approved": [KEY], "rejected": []}
    return state


def write_home(
    home: Path, state: dict[str, Any], *, renderer: bool = False, login: bool = False
) -> None:
    """Write state and settings into a HOME.

    `renderer` has the CLI offer its other renderer; `login` has it take itself for a
    subscription's, with tokens that nobody issued.
    """
    folder = home / ".claude"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
    credentials = folder / ".credentials.json"
    credentials.unlink(missing_ok=True)
    if login:
        credentials.write_text(json.dumps({"claudeAiOauth": _LOGIN}), encoding="utf-8")
        credentials.chmod(0o600)
    # The question about the mode comes only where this mode is the user's own choice.
    settings = {
        "skipWebFetchPreflight": True,
        "permissions": {"defaultMode": "default"},
        "env": {
            **({"CLAUDE_CODE_FORCE_FULLSCREEN_UPSELL": "1"} if renderer else {}),
            # Over stream-json a key in the environment is used without a question.
            **({"ANTHROPIC_API_KEY": ""} if login else {}),
        },
    }
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def environment(home: Path, model_url: str) -> dict[str, str]:
    """What the CLI needs to know of its HOME and of the model."""
    _no_npm(home / "bin")
    return {
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "SHELL": "/bin/bash",
        # Without it the CLI refuses some modes to root, which tests in a container are.
        "IS_SANDBOX": "1",
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
    }


def _no_npm(folder: Path) -> None:
    """With every start 2.1.85 asks npm for newer versions, which costs as much as its own start."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "npm").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (folder / "npm").chmod(0o755)
