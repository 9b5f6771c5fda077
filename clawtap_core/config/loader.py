"""Merge settings: flags over environment over config.toml over defaults."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from marshmallow import ValidationError

from clawtap_core.config.schema import SettingsSchema
from clawtap_core.config.settings import Settings
from clawtap_core.config.sources import Source, from_environment, from_file, from_flags
from clawtap_core.errors import ErrorCode, UsageError

_SCHEMA = SettingsSchema()


def load_settings(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    config_file: Path | None = None,
) -> Settings:
    """Return the merged settings; raise UsageError naming the source and key of a bad value.

    `flags` are named like the settings; None is a flag that was not used.
    """
    environ = os.environ if environ is None else environ
    sources = (from_file(config_file, environ), from_environment(environ), from_flags(flags or {}))
    merged: dict[str, Any] = {}
    for source in sources:
        values = _validated(source)
        # Token and file are one setting: either replaces both of a weaker source.
        if values.keys() & {"token", "token_file"}:
            merged.pop("token", None)
            merged.pop("token_file", None)
        merged.update(values)
    protocol = merged.pop("protocol", None)
    settings = Settings(**merged)
    _check_tls(settings, protocol)
    _check_lan(settings)
    _check_exposure(settings)
    return settings


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach this address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _validated(source: Source) -> dict[str, Any]:
    try:
        values: dict[str, Any] = _SCHEMA.load(source.values)
    except ValidationError as error:
        raise _refused(source, error) from None
    if {"token", "token_file"} <= values.keys():
        names = f"{source.written['token']} and {source.written['token_file']}"
        raise UsageError(f"{names} are both set; set one of them", code=ErrorCode.BAD_SETTING)
    return {
        name: source.base / value if isinstance(value, Path) else value
        for name, value in values.items()
    }


def _refused(source: Source, error: ValidationError) -> UsageError:
    messages = error.messages if isinstance(error.messages, dict) else {}
    unknown = [name for name in messages if name not in _SCHEMA.fields]
    details = {source.written.get(name, name): problem for name, problem in messages.items()}
    if unknown:
        names = ", ".join(source.written.get(name, name) for name in unknown)
        return UsageError(
            f"{names}: no such setting (known: {', '.join(_SCHEMA.fields)})",
            code=ErrorCode.UNKNOWN_SETTING,
            details=details,
        )
    where, problem = next(iter(details.items()))
    return UsageError(f"{where}: {_first(problem)}", code=ErrorCode.BAD_SETTING, details=details)


def _first(problem: Any) -> str:
    while isinstance(problem, (dict, list)):
        problem = next(iter(problem.values() if isinstance(problem, dict) else problem))
    return str(problem)


def _check_tls(settings: Settings, protocol: str | None) -> None:
    pair = {"tls_cert": settings.tls_cert, "tls_key": settings.tls_key}
    present = [name for name, path in pair.items() if path]
    if len(present) == 1:
        (missing,) = pair.keys() - present
        raise UsageError(
            f"{present[0]} is set without {missing}; set both", code=ErrorCode.TLS_PAIR
        )
    for name, path in pair.items():
        if path and not path.is_file():
            raise UsageError(f"{name}: no such file: {path}", code=ErrorCode.TLS_FILE)
    if protocol == "https" and not present:
        raise UsageError(
            "protocol is https, but there is no certificate; set tls_cert and tls_key, or leave"
            " protocol (CODETAP_PROTOCOL) out",
            code=ErrorCode.TLS_PAIR,
        )
    if protocol == "http" and present:
        raise UsageError(
            "protocol is http, but tls_cert and tls_key are set; leave one of them out",
            code=ErrorCode.TLS_PAIR,
        )


def _check_exposure(settings: Settings) -> None:
    if not (is_loopback(settings.host) or settings.tls_cert or settings.insecure):
        raise UsageError(
            f"host {settings.host} can be reached from other machines, and there is no TLS: use"
            " --lan alone for a phone in the same network, give --tls-cert and --tls-key, listen on"
            " 127.0.0.1 behind a tunnel or a reverse proxy, or pass --insecure",
            code=ErrorCode.INSECURE_HOST,
        )


def _check_lan(settings: Settings) -> None:
    if not settings.lan:
        return
    others = {
        "host": not is_loopback(settings.host),
        "tls_cert": settings.tls_cert is not None,
        "insecure": settings.insecure,
    }
    if names := [name for name, is_set in others.items() if is_set]:
        raise UsageError(
            "lan listens on every local network with a certificate of its own: set either lan or"
            f" {' and '.join(names)}, not both",
            code=ErrorCode.BAD_SETTING,
        )
