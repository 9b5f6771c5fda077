"""The owner's token: from a flag or a file, or created at the first start."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, UsageError
from clawtap_core.model import LOCAL
from clawtap_core.server.devices import Devices
from clawtap_core.server.private_files import private_folder, write_private

if TYPE_CHECKING:
    from clawtap_core.fleet.access import SharedAccess


def open_devices(settings: Settings) -> Devices:
    """Return the devices of this data folder."""
    folder = Path(settings.data_dir)
    private_folder(folder)
    # Other machines would not know which one is local.
    name = settings.name_in_fleet if settings.in_fleet else LOCAL
    return Devices(folder / "devices.json", owner_token(settings), name)


def owner_token(settings: Settings) -> str:
    """Return the configured token, or the one in the data folder, created if missing."""
    if settings.token:
        return settings.token
    if settings.token_file:
        return _read(Path(settings.token_file))
    path = Path(settings.data_dir) / "token"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32) + "\n")
    return _read(path)


def hub_token(settings: Settings, access: SharedAccess) -> str:
    """Return the configured token, or the one that all hubs have, kept for local commands."""
    if settings.token or settings.token_file:
        return owner_token(settings)
    write_private(Path(settings.data_dir) / "token", access.owner_token + "\n")
    return access.owner_token


def _read(path: Path) -> str:
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the token file {path} cannot be read: {error}", code=ErrorCode.TOKEN_FILE
        ) from error
    if not token:
        raise UsageError(f"the token file {path} is empty", code=ErrorCode.TOKEN_FILE)
    return token
