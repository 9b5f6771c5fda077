"""Read settings from flags, the environment and config.toml."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.system.config_folder import own_config_folder

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

PREFIX = "CLAWTAP_"
# Variables of the command line's client side and of the tests.
NOT_SETTINGS = frozenset({"CLAWTAP_CONFIG", "CLAWTAP_URL", "CLAWTAP_CLI_CACHE"})
_OLD = {"CODETAP_PORT": "port", "CODETAP_PROTOCOL": "protocol"}
_SINGULAR = {"allowed_host": "allowed_hosts"}
_NUMBERS = frozenset({"port", "journal_days", "interaction_timeout", "notification_grace"})
_LISTS = frozenset({"allowed_hosts", "load_plugins", "block_plugins"})
_SWITCHES = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Source:
    """Settings from one place, the name a user wrote for each, and the base of relative paths."""

    values: Mapping[str, Any]
    written: Mapping[str, str]
    base: Path


def from_flags(flags: Mapping[str, Any]) -> Source:
    """Return the flags that were used; None and an empty list were not."""
    values = {
        _SINGULAR.get(name, name): value
        for name, value in flags.items()
        if value is not None and value != ()
    }
    return Source(values, {name: f"--{name.replace('_', '-')}" for name in values}, Path.cwd())


def from_environment(environ: Mapping[str, str]) -> Source:
    """Return CLAWTAP_* variables, and the old CODETAP_* names where a new one is missing."""
    values: dict[str, Any] = {}
    written: dict[str, str] = {}
    for variable, name in _variables(environ):
        if environ[variable] or name == "load_plugins":
            values[name], written[name] = _parsed(name, environ[variable]), variable
    return Source(values, written, Path.cwd())


def from_file(path: Path | None, environ: Mapping[str, str]) -> Source:
    """Return the named configuration file, which must exist, or else the user's own."""
    named = path or (Path(environ["CLAWTAP_CONFIG"]) if environ.get("CLAWTAP_CONFIG") else None)
    file = named.expanduser() if named else default_file()
    values = _read(file) if named or file.exists() else {}
    return Source(values, {name: f"{file}: {name}" for name in values}, file.absolute().parent)


def default_file() -> Path:
    """Return the path of the user's config.toml."""
    return own_config_folder() / "config.toml"


def _variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((variable, name) for variable, name in _OLD.items() if variable in environ)
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in NOT_SETTINGS:
            name = variable[len(PREFIX) :].lower()
            yield variable, _SINGULAR.get(name, name)


def _parsed(name: str, text: str) -> Any:
    """Return the text as the setting's type, or unchanged for the schema to refuse."""
    if name in _LISTS:
        return [item.strip() for item in text.split(",") if item.strip()]
    if name in ("lan", "insecure", "notification_buttons"):
        return _SWITCHES.get(text.strip().lower(), text)
    if name == "interaction_timeout" and "=" in text:
        # One for each kind: default=600,question=0
        pairs = (item.partition("=") for item in text.split(","))
        return {kind.strip(): _number(seconds) for kind, _, seconds in pairs}
    return _number(text) if name in _NUMBERS else text


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _read(file: Path) -> dict[str, Any]:
    try:
        values: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{file} cannot be read: {reason}", code=ErrorCode.BAD_CONFIG_FILE
        ) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{file} is not valid TOML: {error}", code=ErrorCode.BAD_CONFIG_FILE
        ) from error
    return values
