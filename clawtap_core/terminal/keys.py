"""Commands that send keys, literal text and pastes to a pane."""

from __future__ import annotations

import re
import secrets

from clawtap_core.errors import Conflict, ErrorCode
from clawtap_core.model import is_key
from clawtap_core.terminal.quoting import Command

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNPASTEABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_PLAIN_NAME = re.compile(r"[\w.+-]+", re.ASCII)
_CHUNK = 2000
NOT_IN_FRONT = "clawtap-not-in-front"
_TESTED = "@clawtap_test"


def readiness(pane_id: str) -> Command:
    """Ask whether keys reach only this pane; `check_ready` reads the answer."""
    state = "#{pane_synchronized},#{pane_input_off},#{pane_current_command}"
    return ("display-message", "-p", "-t", pane_id, state)


def check_ready(answer: bytes) -> str:
    """Return the program in front; Conflict if tmux would send keys to other panes too, or none."""
    synchronized, off, program = answer.decode("utf-8", "replace").split(",", 2)
    if synchronized == "1":
        raise Conflict(
            "tmux would send these keys to other panes too; switch that off with "
            "`tmux set-option -w synchronize-panes off`",
            code=ErrorCode.PANES_SYNCHRONIZED,
        )
    if off == "1":
        raise Conflict(
            "input to this pane is off; switch it on with `tmux select-pane -e`",
            code=ErrorCode.PANE_INPUT_OFF,
        )
    return program


def check_front(pane_id: str, program: str) -> list[Command]:
    """Return the command that fails if another program is in front by now.

    tmux runs a line without interruption: no program takes the place of another between this and
    the keys that follow on the line.
    """
    if not _PLAIN_NAME.fullmatch(program):
        return []
    holds = f"#{{==:#{{pane_current_command}},{program}}}"
    return [("set-option", "-p", "-t", pane_id, f"#{{?{holds},{_TESTED},{NOT_IN_FRONT}}}", "1")]


def press(pane_id: str, key: str) -> list[Command]:
    """Press one key by its name."""
    if not is_key(key):
        raise ValueError(f"not a key of tmux: {key!r}")
    return [_to_program(pane_id), ("send-keys", "-t", pane_id, "--", key)]


def type_text(pane_id: str, text: str) -> list[Command]:
    """Type one line byte by byte, so that nothing in it is a key's name."""
    if _CONTROL.search(text):
        raise ValueError("typed text holds no control characters")
    data = text.encode()
    pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    return [
        _to_program(pane_id),
        *(("send-keys", "-t", pane_id, "-H", *piece.hex(" ").split()) for piece in pieces),
    ]


def paste(pane_id: str, text: str) -> list[Command]:
    """Paste text through a temporary buffer, without control characters."""
    # An escape sequence could end the bracket of the paste, and the rest would be keys.
    text = _UNPASTEABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if not text:
        return []
    buffer = f"clawtap-{secrets.token_hex(8)}"
    return [
        _to_program(pane_id),
        ("set-buffer", "-b", buffer, "--", text),
        ("paste-buffer", "-p", "-d", "-b", buffer, "-t", pane_id),
    ]


def _to_program(pane_id: str) -> Command:
    # In copy mode (or any other) keys would go to tmux; otherwise this does nothing.
    return ("copy-mode", "-q", "-t", pane_id)
