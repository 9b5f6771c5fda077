"""Checking that a CLI can be started as requested."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from clawtap_core.errors import BadRequest, ErrorCode, Impossible
from clawtap_core.host import Adapter
from clawtap_core.model import Choice, Launch, LaunchRequest
from clawtap_core.runtime.channel import HOOK

COLS, ROWS = (20, 500), (5, 200)


def launchable(adapter: Adapter, request: LaunchRequest, env: Mapping[str, str]) -> Launch:
    """Return how to start the CLI; BadRequest or Impossible if it cannot be."""
    _check_request(adapter, request)
    launch = adapter.launch(request)
    if launch is None:
        raise Impossible(
            f"{adapter.info.name} cannot be started with {_asked_for(request)}",
            code=ErrorCode.NO_LAUNCH,
        )
    _check_program(adapter, launch, env)
    return launch


def _asked_for(request: LaunchRequest) -> str:
    """Name the settings that the user asked for; the adapter does not support one of them."""
    asked = {
        "the model": request.model,
        "the permission mode": request.permission_mode,
        "the effort": request.effort,
        "the conversation": request.resume,
        "the arguments": " ".join(request.args),
    }
    named = [f"{what} {value!r:.100}" for what, value in asked.items() if value]
    return ", ".join(named) or "its defaults"


def _check_request(adapter: Adapter, request: LaunchRequest) -> None:
    info = adapter.info
    if request.channel == HOOK or request.channel not in info.capabilities.channels:
        raise Impossible(
            f"{info.name} has no channel {request.channel!r}", code=ErrorCode.NO_SUCH_CHANNEL
        )
    if not Path(request.cwd).is_absolute() or not Path(request.cwd).is_dir():
        raise BadRequest(f"no such folder: {request.cwd!r}", code=ErrorCode.NO_SUCH_FOLDER)
    _check_choice(
        "permission mode",
        request.permission_mode,
        info.permission_modes,
        ErrorCode.UNKNOWN_PERMISSION_MODE,
    )
    _check_choice("effort", request.effort, info.effort_levels, ErrorCode.UNKNOWN_EFFORT)
    if request.resume and not info.capabilities.resume:
        raise Impossible(f"{info.name} cannot resume a session", code=ErrorCode.NO_RESUME)
    for name, value, (low, high) in (
        ("cols", request.cols, COLS),
        ("rows", request.rows, ROWS),
    ):
        if not low <= value <= high:
            raise BadRequest(f"{name} must be between {low} and {high}", code=ErrorCode.BAD_SIZE)


def _check_choice(what: str, value: str | None, offered: Sequence[Choice], code: ErrorCode) -> None:
    if value is not None and value not in {choice.id for choice in offered}:
        known = ", ".join(choice.id for choice in offered) or "none"
        raise BadRequest(f"no such {what}: {value!r} (offered: {known})", code=code)


def _check_program(adapter: Adapter, launch: Launch, env: Mapping[str, str]) -> None:
    path = {**env, **launch.env}.get("PATH", os.defpath)
    if shutil.which(launch.argv[0], path=path) is None:
        how = f"; get it with: {adapter.info.install}" if adapter.info.install else ""
        raise Impossible(
            f"{adapter.info.name} is not installed here ({launch.argv[0]!r} is not on the PATH)"
            f"{how}",
            code=ErrorCode.CLI_NOT_INSTALLED,
        )
