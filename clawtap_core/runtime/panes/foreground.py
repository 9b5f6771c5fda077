"""Whose screen a pane shows: its CLI's, or that of a program in front of the CLI."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import Kind, Prompt, PromptForm, Screen, SeenState
from clawtap_core.prompts.identity import same_prompt
from clawtap_core.prompts.screen_tracker import blank, unclear
from clawtap_core.runtime.panes.left_behind import LeftBehind
from clawtap_core.runtime.panes.lent_terminal import LentTerminal
from clawtap_core.runtime.panes.suspension import Suspension
from clawtap_core.runtime.timings import Timings
from clawtap_core.terminal.api import Pane


@dataclass(frozen=True)
class ScreenOwner:
    """What a screen says about the program that drew it.

    `cli_shown`: it is known to be the CLI's own. `lent`: the CLI has lent its terminal to an
    editor. `away`: the CLI is not in front; `runs_cli`: its process is, all the same.
    """

    cli_shown: bool
    lent: bool = False
    away: bool = False
    runs_cli: bool = True


class Foreground:
    """Tells the screens of a session's CLI from those of other programs in its pane.

    `launched`: the pane was made for the CLI, so that no shell runs below it.
    """

    def __init__(self, timings: Timings, *, launched: bool) -> None:
        self._launched = launched
        self._left_behind = LeftBehind(timings)
        self._lent = LentTerminal()
        self._suspension = Suspension(timings)
        self._covered = False

    def cli_ended(self, pane: Pane, now: float, *, asks: bool) -> bool:
        """Return whether the CLI has ended since the last call; a script may run on."""
        return self._left_behind.cli_ended(pane, now, covered=self._covered, asks=asks)

    def left_behind_for(self, now: float) -> float:
        """Return for how many seconds more a CLI that is over may be what is shown; 0 if not."""
        return max(0.0, self._left_behind.rest(now))

    def observe(
        self,
        pane: Pane,
        screen: Screen,
        form: PromptForm | None,
        seen: SeenState | None,
        prompt: Prompt | None,
        now: float,
    ) -> ScreenOwner:
        """Return whose screen it is; `form` and `seen` were read from it, `prompt` is open."""
        composes = seen is not None and seen.draft is not None
        asks = form is not None
        lent = self._lent.observe(pane, screen, now, composes=composes, asks=asks)
        # A state that is read from the screen of an editor is not the CLI's.
        state_shown = not (lent or unclear(seen) or blank(screen))
        cli_shown = asks or state_shown
        same = bool(form and prompt and same_prompt(form, prompt.form))
        edited = not cli_shown and _may_be_edited(pane, prompt)
        self._covered = lent or edited
        if same or not cli_shown:
            runs_cli = pane.runs_cli()
            if edited or self._is_away(pane, now, runs_cli=runs_cli):
                return ScreenOwner(cli_shown, lent, away=True, runs_cli=runs_cli)
        if cli_shown:
            self._suspension.shows_itself(pane, asks=asks and not same)
        return ScreenOwner(cli_shown, lent)

    def _is_away(self, pane: Pane, now: float, *, runs_cli: bool) -> bool:
        if not runs_cli:
            return not self._launched  # the shell of an adopted pane is in front
        return self._suspension.lasts(pane, now)


def _may_be_edited(pane: Pane, prompt: Prompt | None) -> bool:
    """Return True if an editor may cover the prompt, such as one that edits its plan."""
    asks = prompt is not None and prompt.form.kind is not Kind.UNKNOWN
    return asks and pane.is_lent()
