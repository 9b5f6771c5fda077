"""A HOME for OpenCode in which it starts without a dialog and knows the scripted model only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawtap_core.testing.scripted.chat_model import MODEL

_QUIET = ("AUTOUPDATE", "LSP_DOWNLOAD", "MODELS_FETCH")


def settings(
    model_url: str, *, asks: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """The CLI's settings; `asks` are the permissions, by default to ask for what changes things."""
    fake = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Lab",
        "options": {"baseURL": f"{model_url}/v1", "apiKey": "dummy"},
        "models": {
            name: {"name": name.title(), "limit": {"context": 100_000, "output": 10_000}}
            for name in (MODEL, "fake-2")
        },
    }
    return {
        "provider": {"fake": fake},
        "enabled_providers": ["fake"],
        "model": f"fake/{MODEL}",
        "small_model": f"fake/{MODEL}",
        "autoupdate": False,
        "share": "disabled",
        "permission": {"bash": "ask", "edit": "ask", "webfetch": "ask", **(asks or {})},
        **more,
    }


def write_home(home: Path, values: Mapping[str, Any]) -> None:
    """Write the settings into a HOME."""
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "opencode.json").write_text(json.dumps(values, indent=1), encoding="utf-8")


def environment() -> dict[str, str]:
    """What keeps the CLI from the network."""
    return {f"OPENCODE_DISABLE_{name}": "1" for name in _QUIET}
