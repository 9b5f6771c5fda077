"""The whole screen as rows: transcript, what is going on, and the dialog or the composer."""

from __future__ import annotations

from dataclasses import dataclass, field

from clawtap_demo.agent.box import (
    ACCENT,
    BOLD,
    DIM,
    GREEN,
    RED,
    composer_box,
    dialog_box,
    paint,
)
from clawtap_demo.agent.composer import Composer
from clawtap_demo.agent.dialog import Dialog
from clawtap_demo.agent.text import clean, fold, wrap

MODES = ("ask", "auto-edit", "plan")
MODELS = ("swift", "sage")
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
WIDEST = 100
_STYLES = {"◆": "", "❯": BOLD, "✻": DIM, "⚙": ACCENT, "✓": GREEN, "✗": RED, "·": DIM}


@dataclass
class Block:
    """One piece of the conversation: a mark that says whose it is, and its text."""

    mark: str
    text: str


@dataclass
class Model:
    """All that the screen shows."""

    blocks: list[Block] = field(default_factory=list)
    composer: Composer = field(default_factory=Composer)
    dialog: Dialog | None = None
    busy: bool = False
    spinning: bool = False
    half: bool = False
    frame: int = 0
    seconds: int = 0
    mode: str = MODES[0]
    model: str = MODELS[0]


def render(model: Model, cols: int, rows: int) -> list[str]:
    """Return the rows of the screen; the dialog or composer is the last block."""
    wide = max(20, min(cols, WIDEST))
    spin = []
    if (model.busy and not model.dialog) or model.spinning:
        sign = paint(SPINNER[model.frame % len(SPINNER)], ACCENT)
        spin = [sign + " " + paint(f"Working… {model.seconds}s · esc to interrupt", DIM)]
    if model.dialog:
        below = dialog_box(model.dialog, wide, rows - len(spin))
        below = below[: len(below) // 2] if model.half else below
    else:
        footer = f"mode {model.mode} · model {model.model} · shift+tab mode · /help"
        below = composer_box(model.composer.draft, footer, wide, max(1, rows // 3))
    live = [*spin, *below][-rows:]
    room = rows - len(live) - 1
    history = [row for block in model.blocks[-rows:] for row in _block(block, wide)]
    return [*history[-room:], "", *live] if room > 0 and history else live


def _block(block: Block, cols: int) -> list[str]:
    # Only the agent's own frames begin in the first column.
    style, inner = _STYLES.get(block.mark, ""), cols - 4
    if block.mark == "⚙":
        texts = [part for line in block.text.split("\n") for part in fold(clean(line), inner, "")]
    else:
        texts = wrap(block.text, inner)
    lead = [f" {paint(block.mark, ACCENT if block.mark == '◆' else style)} "]
    return [
        "",
        *((lead[0] if at == 0 else "   ") + paint(text, style) for at, text in enumerate(texts)),
    ]
