"""The key of our own that signs what is sent to push services (VAPID)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.server.private_files import private_folder, write_private


def push_installed() -> bool:
    """Return whether the extra `clawtap[push]` is installed."""
    return bool(find_spec("pywebpush") and find_spec("py_vapid"))


def push_key_file(folder: Path) -> Path:
    """Return where a data folder keeps the key."""
    return folder / "vapid.pem"


def read_push_key(path: Path) -> Any:
    """Return the key in a file; raise Impossible if the file holds no such key."""
    from py_vapid import Vapid02

    try:
        key = Vapid02.from_pem(path.read_bytes())
        _ = key.public_key.curve  # a key of another kind has none
    except Exception as error:  # the parser raises what it likes
        raise Impossible(
            f"the key in {path} cannot be read; remove that file, restart the server, and turn"
            " notifications on again in each browser",
            code=ErrorCode.PUSH_KEY,
        ) from error
    return key


def make_push_key(path: Path) -> Any:
    """Make a key and keep it in a file."""
    from py_vapid import Vapid02

    key = Vapid02()
    key.generate_keys()
    private_folder(path.parent)
    write_private(path, key.private_pem().decode())
    return key
