"""The composer: the user's draft, the agent and the model below it, then the footer."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core import Screen
from clawtap_core.screens import parsed_once, unwrap
from clawtap_opencode.screen.block import is_covered, lowest_panel
from clawtap_opencode.words import WORDS

_AGENT = WORDS.pattern("composer.agent")
_SHELL = WORDS.pattern("composer.shell")
_PLACEHOLDER = WORDS.pattern("composer.placeholder")
_EDGE = "╹▀"
_MARGIN = 4


@dataclass(frozen=True)
class Composer:
    """The composer; `end` is the column right of it, `footer` the text below it.

    `menu`: the rows of a list that completes the draft and takes keys before it. A draft for the
    shell begins with the `!` that opened it.
    """

    top: int
    end: int
    draft: str
    mode: str | None
    model: str | None
    footer: str
    menu: tuple[str, ...]


@parsed_once
def find_composer(screen: Screen) -> Composer | None:
    """Return the composer, or None while keys go elsewhere."""
    panel = lowest_panel(screen)
    if panel is None or len(panel.rows) < 3 or not panel.below:
        return None
    if not panel.below[0].lstrip().startswith(_EDGE) or is_covered(panel):
        return None
    shell, agent = _SHELL.fullmatch(panel.rows[-1]), _AGENT.fullmatch(panel.rows[-1])
    if not (shell or agent):
        return None
    rows = [row.removeprefix("  ") for row in panel.rows[:-1]]
    draft = unwrap(rows, panel.width - _MARGIN).strip("\n")
    if _PLACEHOLDER.fullmatch(draft):
        draft = ""
    return Composer(
        panel.top,
        panel.column + 1 + panel.width,
        f"!{draft}" if shell else draft,
        agent["agent"].lower() if agent and not shell else None,
        agent["model"] if agent and not shell else None,
        "\n".join(panel.below[1:]),
        panel.menu,
    )
