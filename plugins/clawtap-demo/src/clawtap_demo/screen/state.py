"""What the agent does now: the composer at the end of the screen, with or without a spinner."""

from __future__ import annotations

import re

from clawtap_core import Screen, SeenState, SessionState, hookimpl
from clawtap_demo.screen.block import last_block, unfold
from clawtap_demo.screen.prompt import detect_prompt

ENDED = "◇ demo agent ended"
_FOOTER = re.compile(r"mode (?P<mode>\S+) · model (?P<model>\S+)")
_SPINNER = re.compile(r"[\u2800-\u28ff] ")
_PIECE = re.compile(r" (?P<mark>[◆❯✻⚙✓✗·]) (?P<text>.*)")


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """Return the state, or None for a screen that is not one of the agent's."""
    block = last_block(screen)
    if block is None and not screen.text.strip():
        return SeenState(SessionState.STARTING)
    if block is None:
        return SeenState(SessionState.ENDED) if ENDED in screen.lines else None
    if block.header:
        return SeenState(SessionState.WAITING) if detect_prompt(screen) else None
    above = screen.lines[: block.top]
    busy = bool(above) and _SPINNER.match(above[-1]) is not None
    footer = _FOOTER.match(block.footer)
    streaming = _last_piece(above) if busy else {}
    return SeenState(
        SessionState.BUSY if busy else SessionState.IDLE,
        # The first column holds `>`, or `…` where the draft is cut.
        draft="\n".join(unfold(line[2:] for line in block.subject)),
        streaming=streaming.get("◆", ""),
        thinking=streaming.get("✻", ""),
        mode=footer["mode"] if footer else None,
        model=footer["model"] if footer else None,
    )


def _last_piece(lines: tuple[str, ...]) -> dict[str, str]:
    texts: list[str] = []
    for line in reversed(lines[:-1]):
        if match := _PIECE.fullmatch(line):
            return {match["mark"]: " ".join([match["text"], *reversed(texts)]).strip()}
        texts.append(line.strip())
    return {}
