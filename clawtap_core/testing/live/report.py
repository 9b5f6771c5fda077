"""What a live check found, and the screens that it keeps."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clawtap_core.model import CheckState, Screen, StepResult
from clawtap_core.testing.recordings import title_of_cli

OK, FAILED, UNFINISHED, SKIPPED = "ok", "failed", "unfinished", "skipped"
_UNSAFE = re.compile(r"[^A-Za-z0-9.]+")


@dataclass(frozen=True, slots=True)
class LiveReport:
    """The results of all steps with one program."""

    adapter: str
    program: str
    version: str | None
    proved_versions: tuple[str, ...]
    steps: tuple[StepResult, ...]
    seconds: float

    @property
    def failed(self) -> tuple[StepResult, ...]:
        """The steps that failed."""
        return tuple(result for result in self.steps if result.status == FAILED)

    @property
    def unfinished(self) -> tuple[StepResult, ...]:
        """The steps that only ran out of time."""
        return tuple(result for result in self.steps if result.status == UNFINISHED)

    @property
    def state(self) -> CheckState:
        """PASSED if the CLI was checked and every step that was tried succeeded."""
        if not self.failed and self.unfinished:
            return CheckState.UNFINISHED
        tried = any(result.status == OK for result in self.steps)
        return CheckState.FAILED if self.failed or not tried else CheckState.PASSED

    @property
    def ok(self) -> bool:
        """Whether the check passed."""
        return self.state is CheckState.PASSED


def save_recording(screen: Screen, facts: Mapping[str, object], folder: Path, *words: str) -> Path:
    """Save a screen as NAME.ansi and NAME.json, named by these words; return the former."""
    name = "-".join(_UNSAFE.sub("-", word) for word in words)
    path = folder / f"{name}.ansi"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(screen.captured) + "\n", encoding="utf-8")
    pane = {
        "cols": screen.cols,
        "rows": screen.rows,
        "cursor": screen.cursor,
        "cursor_visible": screen.cursor_visible,
        "alternate_screen": screen.alternate,
        "hides_input": screen.hides_input,
        "takes_keys": screen.takes_keys,
        "pane_title": title_of_cli(screen.title),
    }
    known = {key: value for key, value in pane.items() if value is not None}
    text = json.dumps({**known, **facts}, ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(f"{text}\n", encoding="utf-8")
    return path
