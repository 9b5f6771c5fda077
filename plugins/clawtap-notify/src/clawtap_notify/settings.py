"""The settings of `notify.toml`: where notices go."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clawtap_core.config.sources import default_file
from clawtap_core.errors import ErrorCode, UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]


@dataclass(frozen=True, slots=True)
class Target:
    """A URL, the secret that authenticates us there, and whether its readers may answer."""

    url: str
    secret: str = ""
    answers: bool = False


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """Where notices go; `link` is ClawTap's address for their readers."""

    link: str = ""
    ntfy: Target | None = None
    webhook: Target | None = None


def load_settings(path: Path | None = None) -> NotifySettings:
    """Read the file, if there is one; raise UsageError if it is wrong."""
    path = path or default_file().with_name("notify.toml")
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return NotifySettings()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", code=ErrorCode.BAD_CONFIG_FILE
        ) from error
    return NotifySettings(
        str(tables.get("link") or "").rstrip("/"),
        _target(path, tables, "ntfy", "token"),
        _target(path, tables, "webhook", "secret"),
    )


def _target(path: Path, tables: Mapping[str, Any], name: str, secret: str) -> Target | None:
    table = tables.get(name)
    if table is None:
        return None
    url = table.get("url") if isinstance(table, Mapping) else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")):
        raise UsageError(f"{path}: [{name}] needs a url", code=ErrorCode.BAD_CONFIG_FILE)
    answers = table.get("answers", False)
    if not isinstance(answers, bool):
        raise UsageError(
            f"{path}: answers in [{name}] must be true or false", code=ErrorCode.BAD_CONFIG_FILE
        )
    if answers and not _is_private(str(tables.get("link") or "")):
        raise UsageError(
            f"{path}: answers in [{name}] needs a link that begins with https://",
            code=ErrorCode.BAD_CONFIG_FILE,
        )
    return Target(url, str(table.get(secret) or ""), answers)


def _is_private(link: str) -> bool:
    # Whoever reads an unencrypted token on its way could use it.
    parts = urlsplit(link)
    return parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1", "::1")
