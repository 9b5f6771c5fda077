"""The schema of settings from flags, environment and file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from clawtap_core.config.quiet_hours import QuietHours
from clawtap_core.config.settings import TIMEOUT, same_timeout
from clawtap_core.model import Kind

LEVELS = ("debug", "info", "warning", "error")
_WORD = validate.Regexp(r"[!-~]+\Z", error="Must be printable ASCII without blanks.")
_NAME = validate.Regexp(r"[\w.-]+\Z", error="Must be a name of letters, digits, '.', '_' or '-'.")


def check_quiet_hours(text: str) -> None:
    """Raise ValidationError unless a text names quiet hours, or none."""
    try:
        QuietHours.parse(text)
    except ValueError as error:
        raise ValidationError(str(error)) from None


def check_machine_name(name: str) -> None:
    """Raise ValidationError unless a name is one line of 1 to 60 printable characters."""
    if not (0 < len(name) <= 60 and name.isprintable() and name.strip() == name):
        raise ValidationError("Must be 1 to 60 printable characters on one line.")


def check_redis_url(url: str) -> None:
    """Raise ValidationError unless an address of Redis names a host, or the path of a socket."""
    try:
        parts = urlsplit(url)
        named = parts.path if parts.scheme == "unix" else parts.hostname
    except ValueError:
        named = None
    if not named or not re.fullmatch(r"(rediss?|unix)://[!-~]+", url):
        raise ValidationError(
            "Must be redis://HOST:PORT, rediss://HOST:PORT or unix:///PATH, with %2F for a / in"
            " the password."
        )


class PathField(fields.Field[Path]):
    """A path, with "~" expanded."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Path:
        if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
            raise ValidationError("Not a valid path.")
        try:
            return Path(value).expanduser()
        except RuntimeError as error:
            raise ValidationError(f"Not a valid path: {error}") from error


class Switch(fields.Field[bool]):
    """Strictly true or false."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("Must be true or false.")
        return value


class Names(fields.Field[tuple[str, ...]]):
    """A list of names."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise ValidationError("Must be a list of names.")
        for name in value:
            _WORD(name)
        return tuple(value)


class Timeouts(fields.Field[dict[Kind, float]]):
    """Seconds for every kind of prompt: one number, or a table by kind with a `default`."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[Kind, float]:
        if not isinstance(value, Mapping):
            return same_timeout(_seconds(value))
        table = same_timeout(_seconds(value.get("default", TIMEOUT)))
        for name, seconds in value.items():
            if name != "default":
                table[_kind(name)] = _seconds(seconds)
        return table


class SettingsSchema(Schema):
    """Every setting; `protocol` is only checked against the others."""

    class Meta:
        """Options of marshmallow."""

        unknown = RAISE

    host = fields.String(validate=_WORD)
    port = fields.Integer(strict=True, validate=validate.Range(0, 65535))
    protocol = fields.String(validate=validate.OneOf(("http", "https")))
    data_dir = PathField()
    token = fields.String(validate=_WORD)
    token_file = PathField()
    tls_cert = PathField()
    tls_key = PathField()
    allowed_hosts = Names()
    tmux_socket = fields.String(validate=_NAME)
    lan = Switch()
    insecure = Switch()
    trust_folders = fields.String(validate=validate.OneOf(("ask", "always")))
    interaction_timeout = Timeouts()
    load_plugins = Names()
    block_plugins = Names()
    journal_days = fields.Integer(strict=True, validate=validate.Range(1, 36500))
    notification_grace = fields.Float(validate=validate.Range(0, 86400))
    notification_buttons = Switch()
    quiet_hours = fields.String(validate=check_quiet_hours)
    redis_url = fields.String(validate=check_redis_url)
    fleet_key_file = PathField()
    machine_name = fields.String(validate=check_machine_name)
    log_level = fields.String(validate=validate.OneOf(LEVELS))


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        raise ValidationError("Must be a number of seconds (0: wait indefinitely).")
    return float(value)


def _kind(name: Any) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        kinds = ", ".join(kind.value for kind in Kind)
        raise ValidationError(
            f"No such kind of prompt: {name!r} (known: default, {kinds})."
        ) from None
