"""An adapter's recordings by name, for tests of what it reads on them and types into them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from clawtap_core import (
    Paste,
    Press,
    Previous,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    Type,
)
from clawtap_core.testing import Recording

LONG_ANSWER = ("busy-long-begun", "busy-long-further")
_BEGINS = "From the "


class RecordedCli:
    """One adapter and its recordings, `FOLDER/VERSION/NAME-SIZE.ansi`; `version` is the default."""

    def __init__(self, adapter: ModuleType, folder: Path, version: str) -> None:
        self._adapter, self._folder, self._version = adapter, folder, version

    def screen(self, name: str, version: str = "", size: str = "120x40") -> Screen:
        """A recorded screen."""
        path = self._folder / (version or self._version) / f"{name}-{size}.ansi"
        return Recording.load(path).screen

    def form(self, name: str, version: str = "", size: str = "120x40") -> PromptForm:
        """The prompt on a recorded screen."""
        form = self._adapter.detect_prompt(self.screen(name, version, size))
        assert isinstance(form, PromptForm)
        return form

    def state(self, name: str, version: str = "", size: str = "120x40") -> SeenState:
        """The state that a recorded screen shows."""
        seen = self._adapter.detect_state(self.screen(name, version, size), None)
        assert isinstance(seen, SeenState)
        return seen

    def ends_of_long_answer(self, version: str) -> list[tuple[str, str]]:
        """The first and the last row that each of two screens shows of an answer being written.

        All rows begin with "From the ", which is left out.
        """
        before = Previous(
            SeenState(SessionState.BUSY, streaming="From the alder to the alder"), 0.1
        )
        ends = []
        for name in LONG_ANSWER:
            seen = self._adapter.detect_state(self.screen(name, version), before)
            assert isinstance(seen, SeenState)
            assert seen.state is SessionState.BUSY
            first, *_, last = [row.strip() for row in seen.streaming.split("\n\n")]
            assert first.startswith(_BEGINS)
            assert last.startswith(_BEGINS)
            ends.append((first.removeprefix(_BEGINS), last.removeprefix(_BEGINS)))
        return ends

    def answer(
        self,
        names: Sequence[str],
        response: Response,
        version: str = "",
        form: PromptForm | None = None,
        size: str = "120x40",
    ) -> list[str]:
        """Answer the first screen's prompt, or `form`, on these screens one after the other.

        Returns what is typed.
        """
        answered: list[str] = []
        form, progress = form or self.form(names[0], version, size), None
        for name in names:
            steps = self._adapter.respond(
                form, response, self.screen(name, version, size), progress
            )
            assert steps is not None, name
            answered += typed(steps)
            progress = steps.progress
            if steps.done:
                break
        return answered


def typed(steps: Steps | None) -> list[str]:
    """The names of the keys and the texts of steps."""
    assert steps is not None
    sent = (step for step in steps.steps if isinstance(step, Press | Type | Paste))
    return [step.key if isinstance(step, Press) else step.text for step in sent]
