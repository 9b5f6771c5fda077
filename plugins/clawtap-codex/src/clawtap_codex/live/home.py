"""A HOME for the Codex CLI in which it starts without a dialog, or with the one that is wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

_MODEL, _OLD_MODELS = "gpt-5.5", {"0.116.0": "gpt-5.4"}
_HOOKS = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}


def settings(
    version: str | None,
    model_url: str,
    trusted: Iterable[Path] = (),
    *,
    migrate: bool = False,
    update: bool = False,
    hooks: bool = False,
    agents: bool = False,
    mcp_server: Path | None = None,
) -> str:
    """The CLI's config.toml. `migrate`, `update` and `hooks` bring the dialogs of these names.

    `agents`: the model may start sub-agents; `mcp_server` is a script that the CLI knows as the
    server `lab`.
    """
    lines = [
        f'model = "{_OLD_MODELS.get(version or "", _MODEL)}"',
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
    ]
    if mcp_server:
        arguments = _quoted([str(mcp_server)])
        lines += ["[mcp_servers.lab]", f"command = {_quoted(sys.executable)}"]
        lines.append(f"args = {arguments}")
    for folder in trusted:
        lines += [f"[projects.{_quoted(str(folder))}]", 'trust_level = "trusted"']
    if not migrate:
        lines += ["[notice.model_migrations]", '"gpt-5.5" = "gpt-6-sol"']
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    # TOML has no pairs of surrogates.
    return json.dumps(value, ensure_ascii=False)


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


def environment(home: Path) -> dict[str, str]:
    """What the CLI needs to know of its HOME and of the model."""
    return {"CODEX_HOME": str(home / ".codex"), "LAB_KEY": "dummy"}
