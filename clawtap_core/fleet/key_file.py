"""The fleet key: what a machine needs to belong to a fleet, in one private file."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.fernet import Fernet

from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode, Unavailable, UsageError
from clawtap_core.system.atomic_file import replace_file

_KEY = re.compile(r"([0-9a-f]{12})\.([\w-]{43}=)", re.ASCII)
_NOWHERE = "unix:///nowhere"


@dataclass(frozen=True, slots=True)
class FleetKey:
    """The id of a fleet, the secret that its machines share, and the address of its Redis."""

    fleet: str
    secret: str
    redis_url: str

    def __repr__(self) -> str:
        return f"FleetKey({self.fleet})"

    @classmethod
    def new(cls, redis_url: str) -> FleetKey:
        """Return the key of a new fleet."""
        return cls(secrets.token_hex(6), Fernet.generate_key().decode(), redis_url)

    @classmethod
    def parse(cls, text: str, redis_url: str) -> FleetKey:
        """Return the key that `fleet create` printed; raise UsageError if it is not one."""
        if not (match := _KEY.fullmatch(text.strip())):
            raise UsageError(
                "this is not a fleet key; copy the whole line that `clawtap fleet create` printed",
                code=ErrorCode.FLEET_KEY,
            )
        return cls(match[1], match[2], redis_url)

    @property
    def text(self) -> str:
        """Return the key as one word, which joins another machine."""
        return f"{self.fleet}.{self.secret}"

    @property
    def address(self) -> str:
        """Return where Redis is, without its password."""
        return address_of(self.redis_url)


def address_of(url: str) -> str:
    """Return a Redis URL without user name, password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def read_key(settings: Settings) -> FleetKey:
    """Return this machine's fleet key; raise UsageError if it has none that can be read."""
    path = settings.fleet_key
    if not path.exists():
        raise UsageError(
            f"there is no fleet key in {path}; make one with `clawtap fleet create`, or join a"
            " fleet with `clawtap fleet join`",
            code=ErrorCode.NO_FLEET,
        )
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return FleetKey.parse(fields["key"], settings.redis_url or str(fields["redis"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"the fleet key in {path} cannot be read; remove the file and join the fleet again",
            code=ErrorCode.FLEET_KEY,
        ) from error


def key_at_start(settings: Settings) -> FleetKey:
    """Do the same, but return a key that opens nothing for one that is damaged.

    With it a machine works alone: it reads its key again every few seconds, and says what is wrong.
    """
    try:
        return read_key(settings)
    except UsageError as error:
        if error.code != ErrorCode.FLEET_KEY:
            raise
        return FleetKey.new(_NOWHERE)


def write_key(path: Path, key: FleetKey) -> None:
    """Keep a key in a file that only its owner can read; raise Unavailable if that fails."""
    kept = {"redis": key.redis_url, "key": key.text}
    try:
        replace_file(path, (json.dumps(kept) + "\n").encode())
    except OSError as error:
        raise Unavailable(
            f"the fleet key cannot be written to {path} ({error.strerror or error}); make its"
            " folder writable, or choose another with --data-dir",
            code=ErrorCode.DATA_DIR_NOT_WRITABLE,
        ) from error


def kept_machine_id(folder: Path) -> str:
    """Return the id of the machine with this data folder, or "" if it has none, as a hub."""
    try:
        kept = (folder / "machine-id").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
    return kept if re.fullmatch(r"[0-9a-f]{12}", kept) else ""


def read_machine_id(folder: Path) -> str:
    """Return the id of the machine with this data folder, made at the first time."""
    kept = kept_machine_id(folder)
    if not kept:
        kept = secrets.token_hex(6)
        replace_file(folder / "machine-id", f"{kept}\n".encode())
    return kept
