"""What is sent to a pane: keys, literal text, pastes."""

from __future__ import annotations

import re
import secrets

from clawtap_core.errors import Conflict, ErrorCode
from clawtap_core.model import is_key
from clawtap_core.terminal.quoting import Command

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNPASTEABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CHUNK = 2000


def readiness(pane_id: str) -> Command:
    """Asks whether keys reach this pane, and this pane only; `check_ready` reads the answer."""
    state = "#{pane_synchronized},#{pane_input_off}"
    return ("display-message", "-p", "-t", pane_id, state)


def check_ready(answer: bytes) -> None:
    """Raise Conflict when tmux would send keys to other panes too, or to none."""
    synchronized, _, off = answer.decode().partition(",")
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


def press(pane_id: str, key: str) -> list[Command]:
    """One key by its name."""
    if not is_key(key):
        raise ValueError(f"not a key of tmux: {key!r}")
    return [_to_program(pane_id), ("send-keys", "-t", pane_id, "--", key)]


def type_text(pane_id: str, text: str) -> list[Command]:
    """One line of text, byte by byte: nothing in it is a key's name."""
    if _CONTROL.search(text):
        raise ValueError("typed text holds no control characters")
    data = text.encode()
    pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    return [
        _to_program(pane_id),
        *(("send-keys", "-t", pane_id, "-H", *piece.hex(" ").split()) for piece in pieces),
    ]


def paste(pane_id: str, text: str) -> list[Command]:
    """Text by a buffer of our own, which is gone after it.

    Without control characters: an escape sequence could end the bracket of the paste, and what
    follows would be keys.
    """
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
    # In copy mode (or any other) keys would go to tmux; outside of one this does nothing.
    return ("copy-mode", "-q", "-t", pane_id)
