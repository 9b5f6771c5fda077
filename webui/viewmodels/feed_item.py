"""The items of a session's conversation."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from clawtap_core.model import Prompt
from webui.viewmodels.prompt_body import Block
from webui.viewmodels.tool_lists import Asked

_NONE = Markup()


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's result. `tone`: done, error, denied or running; `rest`: characters left out."""

    id: str
    tone: str
    icon: str
    word: str
    text: str = ""
    rest: int = 0


_NO_RESULT = Result("", "running", "clock", "running")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool's card: its name, its subject in a line, its input and its result.

    `questions` are those that it asks; its `icon` is "wrench" unless it asks, plans or lists.
    """

    name: str
    subject: str
    blocks: tuple[Block, ...] = ()
    result: Result = _NO_RESULT
    open: bool = False
    place: str = ""
    icon: str = "wrench"
    questions: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One item. `kind`: user, assistant, thought, tool, result or note.

    Items are sorted by `order`; an item replaces the one with its id. `message` is the id of the
    message that it is a part of, `speaker` the label of the subagent that wrote it, `device` the
    name of the device that did what a note says.
    """

    id: str
    session_id: str
    kind: str
    order: str
    text: str = ""
    html: Markup = _NONE
    icon: str = ""
    hidden: bool = False
    tool: Tool | None = None
    message: str = ""
    speaker: str = ""
    device: str = ""
    device_id: str = ""


@dataclass(frozen=True, slots=True)
class EndedPrompt:
    """A prompt that ended, at its place in the conversation."""

    prompt: Prompt
    order: str


Entry = Item | EndedPrompt
