"""The installed version of tmux, and whether it is new enough."""

from __future__ import annotations

import re
import subprocess

from clawtap_core.errors import ErrorCode, Unavailable

OLDEST = (3, 2)
# tmux 3.2 crashes, with all that runs in it, if a program ends whose output a client listens to and
# whose pane remains.
REPORTS_OUTPUT = (3, 3)
_NUMBER = re.compile(r"(\d+)\.(\d+)")


def parse_version(text: str) -> tuple[int, int] | None:
    """Parse "tmux 3.3a" or "3.3a"; None without a version number of tmux's own."""
    # OpenBSD's tmux has the version of the system, a development build may have none; both are
    # newer than needed.
    if "openbsd" in text or not (match := _NUMBER.search(text)):
        return None
    return int(match[1]), int(match[2])


def check_version(text: str) -> None:
    """Raise Unavailable if this version of tmux is too old."""
    version = parse_version(text)
    if version and version < OLDEST:
        raise Unavailable(
            f"tmux {version[0]}.{version[1]} is too old; ClawTap needs tmux 3.2 or newer: "
            "install one with your package manager, and if that is done, end the old server "
            "with `tmux kill-server`",
            code=ErrorCode.TMUX_TOO_OLD,
        )


def installed_version(program: str = "tmux") -> str:
    """Return the output of `tmux -V`; raise Unavailable if tmux is missing or too old."""
    try:
        answer = subprocess.run(
            [program, "-V"], capture_output=True, text=True, check=True, timeout=10
        )
    except subprocess.SubprocessError as error:
        raise Unavailable(
            f"`{program} -V` does not work ({_reason(error)}); repair it, or install tmux 3.2 or "
            "newer with your package manager",
            code=ErrorCode.TMUX_MISSING,
        ) from error
    except OSError as error:
        raise Unavailable(
            "tmux was not found; ClawTap needs tmux 3.2 or newer on the PATH: install it with "
            "your package manager (apt install tmux, dnf install tmux, brew install tmux)",
            code=ErrorCode.TMUX_MISSING,
        ) from error
    check_version(answer.stdout)
    return answer.stdout.strip()


def _reason(error: subprocess.SubprocessError) -> str:
    """Return the first line that a program printed before it failed, or how it failed."""
    printed = str(getattr(error, "stderr", None) or "").strip()
    if printed:
        return printed.splitlines()[0]
    return "no answer" if isinstance(error, subprocess.TimeoutExpired) else str(error)
