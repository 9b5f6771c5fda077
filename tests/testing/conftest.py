"""An adapter as small as can be, with a screen recorded of its CLI."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clawtap_core import (
    AdapterInfo,
    Effect,
    Kind,
    Option,
    Press,
    PromptForm,
    SeenState,
    SessionState,
    Steps,
    hookimpl,
)

ASK = re.compile(r"^Run (?P<command>.+)\? \[y/N\]\s*\Z", re.MULTILINE)
OPTIONS = (
    Option("run-it", "Run it", Effect.ALLOW_ONCE, hint="y"),
    Option("refuse", "Refuse", Effect.DENY, hint="n"),
)
ASKING = "$ mycli\nworking\nRun make all? [y/N]\n"
TRUTH = {
    "is_prompt": True,
    "kind": "permission",
    "command": "make all",
    "options": [{"index": 1, "label": "Run it (y)"}, {"index": 2, "label": "Refuse"}],
    "text_input": False,
}


class MyCli:
    """The adapter; tests break it by replacing a method."""

    @hookimpl
    def adapter_info(self) -> AdapterInfo:
        return AdapterInfo(id="mycli", name="My CLI", commands=("mycli",))

    @hookimpl
    def detect_prompt(self, screen: Any) -> PromptForm | None:
        found = ASK.search(screen.text)
        if not found:
            return None
        return PromptForm(Kind.PERMISSION, f"Run {found['command']}?", options=OPTIONS)

    @hookimpl
    def detect_state(self, screen: Any) -> SeenState:
        asks = ASK.search(screen.text)
        return SeenState(SessionState.WAITING if asks else SessionState.IDLE)

    @hookimpl
    def respond(self, response: Any) -> Steps:
        key = "y" if response.selected_option == "run-it" else "n"
        return Steps((Press(key, deciding=True),))


@pytest.fixture
def mycli() -> MyCli:
    return MyCli()


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A folder with a screen that asks and one that asks nothing."""
    folder = tmp_path / "recordings"
    save(folder / "1.0" / "ask", ASKING, {**TRUTH, "cols": 40, "rows": 10, "cursor": [22, 2]})
    save(folder / "1.0" / "idle", "$ mycli\n> \n", {"is_prompt": False, "state": "idle"})
    return folder


def save(path: Path, text: str, truth: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".ansi").write_text(text)
    path.with_suffix(".json").write_text(json.dumps(truth))


@pytest.fixture
def words() -> SimpleNamespace:
    """What tests of the kit need of this module."""
    return SimpleNamespace(MyCli=MyCli, TRUTH=TRUTH, ASKING=ASKING, OPTIONS=OPTIONS, save=save)
