"""Which tmux is installed, and whether it is new enough."""

from __future__ import annotations

import re
import subprocess

from clawtap_core.errors import ErrorCode, Unavailable

OLDEST = (3, 2)
_NUMBER = re.compile(r"(\d+)\.(\d+)")


def parse_version(text: str) -> tuple[int, int] | None:
    """The version in "tmux 3.3a" or "3.3a"; None where it has no number of tmux's own.

    OpenBSD's tmux carries the number of the system, a build of the development branch may have
    none at all: both are newer than what is needed.
    """
    if "openbsd" in text or not (found := _NUMBER.search(text)):
        return None
    return int(found[1]), int(found[2])


def check_version(text: str) -> None:
    """Raise Unavailable when this is the version of a tmux that is too old."""
    version = parse_version(text)
    if version and version < OLDEST:
        raise Unavailable(
            f"tmux {version[0]}.{version[1]} is too old; ClawTap needs tmux 3.2 or newer: "
            "install one with your package manager, and if that is done, end the old server "
            "with `tmux kill-server`",
            code=ErrorCode.TMUX_TOO_OLD,
        )


def installed_version(program: str = "tmux") -> str:
    """What `tmux -V` says; Unavailable when there is no tmux, or one that is too old."""
    try:
        answer = subprocess.run(
            [program, "-V"], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(
            "tmux was not found; ClawTap needs tmux 3.2 or newer on the PATH: install it with "
            "your package manager (apt install tmux, dnf install tmux, brew install tmux)",
            code=ErrorCode.TMUX_MISSING,
        ) from error
    check_version(answer.stdout)
    return answer.stdout.strip()
