"""Recorded screens: NAME.ansi as tmux captured it, and its truth in NAME.json."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import Screen


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a list, as the CLI shows it, key hint included.

    `text_input`: it takes free text, and is not an option. `option`: it is one, though its label is
    one of a row that steers a form.
    """

    label: str
    index: int | None = None
    description: str | None = None
    text_input: bool = False
    option: bool = False

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Row:
        """Return a row of NAME.json."""
        return cls(
            data["label"],
            data.get("index"),
            data.get("description"),
            bool(data.get("text_input")),
            bool(data.get("option")),
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """What a recorded screen really shows; None was not recorded, and is not checked.

    `cannot_tell`: what no adapter can read from this screen alone, and is not checked: "state", or
    a variation of the screen.
    """

    is_prompt: bool | None = None
    kind: str | None = None
    title: str | None = None
    description: str | None = None
    command: str | None = None
    tool_name: str | None = None
    rows: tuple[Row, ...] = ()
    selected_index: int | None = None
    text_input: bool | None = None
    multi_select: bool | None = None
    state: str | None = None
    refusal: str | None = None
    cannot_tell: frozenset[str] = frozenset()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Truth:
        """Return the truth of NAME.json."""
        plain = ("is_prompt", "kind", "title", "description", "command", "tool_name")
        noted = (*plain, "selected_index", "text_input", "multi_select", "state", "refusal")
        rows = tuple(Row.of(row) for row in data.get("options") or ())
        cannot_tell = frozenset(data.get("cannot_tell") or ())
        return cls(rows=rows, cannot_tell=cannot_tell, **{name: data.get(name) for name in noted})

    @property
    def selected(self) -> Row | None:
        """The row with the cursor."""
        at = self.selected_index
        return next((row for row in self.rows if at is not None and row.index == at), None)


@dataclass(frozen=True)
class Recording:
    """A screen and its truth; `name` is the path below the folder, without suffix."""

    name: str
    screen: Screen
    truth: Truth

    @classmethod
    def load(cls, path: Path, folder: Path | None = None) -> Recording:
        """Load this .ansi file, with the truth of its .json file, if any."""
        data = sidecar_facts(path)
        name = path.relative_to(folder or path.parent).with_suffix("")
        screen = read_screen(path.read_text(encoding="utf-8"), data)
        return cls(name.as_posix(), screen, Truth.of(data))

    @classmethod
    def load_all(cls, folder: Path) -> list[Recording]:
        """Load every recording below a folder, by name."""
        return [cls.load(path, folder) for path in sorted(folder.rglob("*.ansi"))]


def title_of_cli(title: str | None) -> str | None:
    """Return a pane's title, or None for the name of this machine, by which tmux begins."""
    return None if title == socket.gethostname() else title


def read_screen(text: str, data: Mapping[str, Any]) -> Screen:
    """Return a captured text as a screen, with the pane's facts of NAME.json."""
    cursor = data.get("cursor")
    return Screen.from_text(
        text,
        cols=data.get("cols"),
        rows=data.get("rows"),
        cursor=(cursor[0], cursor[1]) if cursor else None,
        cursor_visible=data.get("cursor_visible"),
        title=data.get("pane_title"),
        alternate=data.get("alternate_screen"),
        hides_input=data.get("hides_input"),
        takes_keys=data.get("takes_keys"),
    )


def sidecar_facts(path: Path) -> dict[str, Any]:
    """Return the contents of NAME.json next to a recording, or {} without that file."""
    sidecar = path.with_suffix(".json")
    if path.suffix == ".json" or not sidecar.is_file():
        return {}
    try:
        facts = json.loads(sidecar.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadRequest(
            f"{sidecar} is not valid JSON: {error}", code=ErrorCode.BAD_RECORDING
        ) from error
    facts = facts if isinstance(facts, dict) else {}
    numbers = [facts.get("cols"), facts.get("rows"), *_cells(facts.get("cursor"))]
    if not all(number is None or type(number) is int for number in numbers):
        raise BadRequest(
            f"{sidecar} is not valid: cols and rows are numbers, cursor is [column, row]",
            code=ErrorCode.BAD_RECORDING,
        )
    return facts


def _cells(cursor: Any) -> list[Any]:
    if cursor is None:
        return []
    return cursor if isinstance(cursor, list) and len(cursor) == 2 else ["no place"]
