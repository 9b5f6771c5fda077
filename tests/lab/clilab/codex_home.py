"""A HOME for the Codex CLI in which it starts without a dialog, or with the one that is wanted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

MCP_SERVER = Path(__file__).with_name("mcp_forms.py")
MODELS = {"0.169.0": "gpt-5.5", "0.116.0": "gpt-5.4"}
_HOOKS = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}


def settings(
    version: str,
    model_url: str,
    trusted: Iterable[Path] = (),
    *,
    migrate: bool = False,
    update: bool = False,
    hooks: bool = False,
    agents: bool = False,
) -> str:
    """The CLI's config.toml. `migrate`, `update` and `hooks` bring the dialogs of these names.

    `agents`: the model may start sub-agents.
    """
    lines = [
        f'model = "{MODELS[version]}"',
        'model_provider = "lab"',
        f"check_for_update_on_startup = {str(update).lower()}",
        "suppress_unstable_features_warning = true",
        'approval_policy = "on-request"',
        'sandbox_mode = "read-only"',
        "[features]",
        "default_mode_request_user_input = true",
        "request_permissions_tool = true",
        *(["multi_agent_v2 = true"] if agents else []),
        *(["codex_hooks = true"] if hooks and version == "0.116.0" else []),
        "[model_providers.lab]",
        'name = "lab"',
        f'base_url = "{model_url}/v1"',
        'wire_api = "responses"',
        'env_key = "LAB_KEY"',
        "request_max_retries = 0",
        "stream_max_retries = 0",
        "supports_websockets = false",
        "[analytics]",
        "enabled = false",
        "[feedback]",
        "enabled = false",
        "[mcp_servers.lab]",
        f"command = {json.dumps(sys.executable)}",
        f"args = [{json.dumps(str(MCP_SERVER))}]",
    ]
    for folder in trusted:
        lines += [f"[projects.{json.dumps(str(folder))}]", 'trust_level = "trusted"']
    if not migrate:
        lines += ["[notice.model_migrations]", '"gpt-5.5" = "gpt-6-sol"']
    return "\n".join(lines) + "\n"


def write_home(home: Path, config: str, *, update: bool = False, hooks: bool = False) -> None:
    """Write the settings into a HOME, with a newer version or a new hook to be asked about."""
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(config, encoding="utf-8")
    found = {"latest_version": "0.999.0", "last_checked_at": "2099-01-01T00:00:00Z"}
    _write(folder / "version.json", found if update else None)
    _write(folder / "hooks.json", _HOOKS if hooks else None)


def _write(path: Path, value: object) -> None:
    if value is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(json.dumps(value), encoding="utf-8")


def environment(home: Path, commands: Path, scratch: Path) -> dict[str, str]:
    """The CLI's whole environment. `scratch` is its TMPDIR, which must not hold its HOME."""
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "CODEX_HOME": str(home / ".codex"),
        "TMPDIR": str(scratch),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "LAB_KEY": "dummy",
    }
