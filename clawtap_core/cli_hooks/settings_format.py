"""Parse and write JSON and TOML settings in the file's own style."""

from __future__ import annotations

import json
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from clawtap_core.errors import ErrorCode, Impossible

_INDENT = re.compile(r"\n([ \t]+)\S")
_BOM = "\ufeff"


def parse(path: Path, data: bytes) -> MutableMapping[str, Any]:
    """Return the settings in a file; raise Impossible if they cannot be read."""
    try:
        text = data.decode("utf-8")
        settings = tomlkit.parse(text) if _is_toml(path) else json.loads(text.lstrip(_BOM) or "{}")
    except (ValueError, RecursionError, TOMLKitError) as error:
        hint = "" if _is_toml(path) else "; JSON with comments is not JSON"
        raise _unreadable(path, str(error), hint) from error
    if not isinstance(settings, MutableMapping):
        kind = "a list" if isinstance(settings, list) else "a single value"
        raise _unreadable(path, f"it is {kind}, not an object")
    return settings


def dump(path: Path, settings: MutableMapping[str, Any], like: bytes) -> bytes:
    """Return the settings as a file, with the indentation and line end of `like`."""
    if _is_toml(path):
        return tomlkit.dumps(settings).encode()
    text = like.decode("utf-8")
    indent = _INDENT.search(text)
    compact = text.strip() and "\n" not in text.strip()
    written = json.dumps(
        settings,
        ensure_ascii=False,
        indent=None if compact else (indent[1] if indent else 2),
    )
    begin = _BOM if text.startswith(_BOM) else ""
    end = "\n" if text.endswith("\n") or not text.strip() else ""
    return f"{begin}{written}{end}".encode()


def _is_toml(path: Path) -> bool:
    return path.suffix == ".toml"


def _unreadable(path: Path, why: str, hint: str = "") -> Impossible:
    return Impossible(
        f"the settings {path} cannot be read ({why}), so nothing was changed{hint}",
        code=ErrorCode.SETTINGS_UNREADABLE,
    )
