"""Files of ours: written atomically and readable only by their owner, and read again."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.system.atomic_file import replace_file

T = TypeVar("T")
log = logging.getLogger(__name__)


def private_folder(path: Path) -> None:
    """Create the folder with mode 0700; raise UsageError if it is not writable."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(path, PermissionError("permission denied"))


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically, with mode 0600; raise UsageError if that fails."""
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise _unwritable(path.parent, error) from error


def read_json(path: Path, parse: Callable[[Any], T], what: str) -> T | None:
    """Return what `parse` makes of a JSON file; None without one, or if it is damaged.

    Of a damaged file the log says that `what` it holds could not be read.
    """
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("%s could not be read: %s", what, type(error).__name__)
        return None


def _unwritable(path: Path, error: OSError) -> UsageError:
    reason = error.strerror or str(error)
    return UsageError(
        f"the data folder {path} cannot be written ({reason}); choose another with --data-dir",
        code=ErrorCode.DATA_DIR_NOT_WRITABLE,
    )
