"""The body of a prompt as blocks, made from its form and never by its CLI."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from markupsafe import Markup

from clawtap_core.commands import COMMAND_KEYS, PATH_KEYS, is_unset
from clawtap_core.model import Kind, PromptForm
from clawtap_core.model.ansi import exact
from clawtap_core.prompts.identity import squeeze
from webui.markup import diffs
from webui.markup.diff_colours import coloured
from webui.markup.diffs import Change
from webui.markup.drawn_code import code_as_markdown
from webui.markup.drawn_tables import tables_as_markdown
from webui.markup.sanitizer import rich, visible
from webui.viewmodels.tool_change import named, take_changes, take_text
from webui.viewmodels.tool_lists import Asked, take_questions, take_steps

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
_WORD = re.compile(r"\w+")
# How CLIs draw a line of a change: its number, its sign, its indentation, or what heads a patch.
_DRAWN = re.compile(r"^(?:\s*\d+(?= |$) ?[+-]?|[+\- ]|\*\*\* |@@|…)")
_NUMBER = re.compile(r"^\s*\d+(?: |$)")
_SIGNED = re.compile(r"^\s*\d+ ?[+-]")
_ASKS = re.compile(r"\n?^(?:Do you want|Would you like) to [^\n.]*\?\s*\Z", re.MULTILINE)
_NONE = Markup()
_PLANS = ("plan", "content", "text", "summary")
_PHONE_COLUMNS = 44
_MOST_LINES = 14


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a prompt's body.

    `kind`: text, code, rich, diff, screen, fields, answers (fields in the words of people), or
    steps (fields of a state and a text).
    """

    kind: str
    text: str = ""
    label: str = ""
    html: Markup = _NONE
    change: Change | None = None
    fields: tuple[tuple[str, str], ...] = ()

    @property
    def lines(self) -> int:
        """About how many lines it takes on a phone; a screen counts as none."""
        if self.change:
            return len(self.change.lines)
        texts = (
            [self.text]
            if self.kind in ("text", "code", "rich")
            else [text for _, text in self.fields]
        )
        rows = (row for text in texts for row in text.split("\n"))
        return sum(max(1, -(-len(row) // _PHONE_COLUMNS)) for row in rows)

    @property
    def digest(self) -> str:
        """Identify what it shows: a reader need not open the same content twice."""
        lines = [f"{line.kind} {line.text}" for line in self.change.lines] if self.change else ()
        shown = "\n".join((self.kind, self.text, *lines, *map(str, self.fields)))
        return blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @property
    def long(self) -> bool:
        """Whether a card shows only its beginning until the reader opens it."""
        return self.lines > _MOST_LINES


def blocks(form: PromptForm) -> tuple[Block, ...]:
    """Return all that the user has to see before answering, in order and uncut."""
    return tuple(_blocks(form))


def tool_blocks(tool_input: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return a tool's input as a prompt about it would show it."""
    rest = dict(tool_input)
    listed = tuple(_listed(rest))
    return (*listed, *_permission("", rest, has_tool=True))


def diff_blocks(text: str) -> tuple[Block, ...]:
    """Return a unified diff as a block, or nothing where the text is no diff."""
    change = diffs.parse(exact(text)) if text else None
    return (Block("diff", change=coloured(named(change, ""))),) if change else ()


def _blocks(form: PromptForm) -> Iterator[Block]:
    description = exact(form.description).strip("\n")
    tool_input = dict(form.tool_input or {})
    if form.kind is Kind.PLAN:
        plan = _plan(form.description, take_text(tool_input, _PLANS))
        if plan:
            drawn = code_as_markdown(tables_as_markdown(plan))
            yield Block("rich", exact(plan), html=rich(drawn))
    elif form.kind is Kind.UNKNOWN:
        screen = visible(form.screen or "")
        if description and squeeze(description) not in squeeze(screen):
            yield Block("text", description)
        if screen:
            yield Block("screen", screen)
    elif form.kind is Kind.PERMISSION:
        yield from _permission(description, tool_input, has_tool=bool(form.tool_name))
    elif description:
        yield Block("text", description)


def _permission(description: str, tool_input: dict[str, Any], *, has_tool: bool) -> Iterator[Block]:
    named_fields = dict(tool_input)
    # The call's own input is whole; what the CLI draws of it may be cut.
    changes = take_changes(tool_input, description)
    path = take_text(tool_input, PATH_KEYS)
    command = take_text(tool_input, COMMAND_KEYS)
    # Rows of a command may look like those of a change.
    described = None if command and not path else diffs.parse(description)
    if described and not changes:
        changes, rest = (named(described, ""),), ""
    else:
        rest = _below_drawing(description) if described else description
        rest = _beyond(_without_drawing(rest, changes), command)
    if not (command or changes) and (unsaid := _without_fields(rest, named_fields)) != rest:
        rest, has_tool = _ASKS.sub("", unsaid).strip("\n"), False
    if command:
        yield Block("code", command, "Command")
    if rest:
        yield Block("text" if command or changes or not has_tool else "code", rest, "Request")
    about = take_text(tool_input, ("description",))
    if about and squeeze(about) not in squeeze(description):
        yield Block("text", about)
    if path and path not in (change.path for change in changes):
        tool_input = {"path": path, **tool_input}
    if fields := tuple(_fields(tool_input, {squeeze(rest), squeeze(command)})):
        yield Block("fields", fields=fields)
    for change in changes:
        yield Block("diff", change=coloured(change))


def _listed(tool_input: dict[str, Any]) -> Iterator[Block]:
    """Yield what a tool's input lists for people, and remove it from the input."""
    for asked in take_questions(tool_input):
        yield Block("text", asked.question)
        yield Block("steps", fields=tuple(_options(asked)))
    if steps := take_steps(tool_input):
        yield Block("steps", fields=steps)
    elif isinstance(tool_input.get("plan"), str):
        plan = take_text(tool_input, ("plan",))
        yield Block("rich", plan, html=rich(plan))


def _options(asked: Asked) -> Iterator[tuple[str, str]]:
    for label, description in asked.options:
        yield "", f"{label}: {description}" if description else label


def _plan(drawn: str, written: str) -> str:
    """Return the plan as it was written, if that is what the CLI has drawn."""
    words = set(_WORD.findall(written))
    # Behind the plan the CLI may ask, in a paragraph of its own, whether to proceed.
    plan = drawn.rpartition("\n\n")[0] if drawn.rstrip().endswith("?") else drawn
    return written if written and words.issuperset(_WORD.findall(plan)) else drawn or written


def _below_drawing(description: str) -> str:
    """Return what follows the last numbered row of a drawn change."""
    rows = description.split("\n")
    last = max((at for at, row in enumerate(rows) if _NUMBER.match(row)), default=-1)
    return "\n".join(rows[last + 1 :])


def _without_drawing(description: str, changes: tuple[Change, ...]) -> str:
    """Return the description without the rows that draw the changes, where it draws them."""
    texts = (
        text for change in changes for text in (change.path, *(line.text for line in change.lines))
    )
    shown = squeeze("".join(texts))
    rows = [row for row in description.split("\n") if row.strip()]
    unknown = [row for row in rows if squeeze(_DRAWN.sub("", row)) not in shown]
    draws = any(_SIGNED.match(row) and row not in unknown for row in rows)
    if not changes or (len(unknown) * 2 > len(rows) and not draws):
        return description
    # Lines around the change are in the file, not in the call.
    return "\n".join(row for row in unknown if not _DRAWN.match(row))


def _without_fields(description: str, tool_input: Mapping[str, Any]) -> str:
    """Return the description without the rows that write the call's input once more."""
    for name, value in tool_input.items():
        # A row may be `name: value`, `Tool(value)`, or the value alone.
        written = {str(value), json.dumps(value, ensure_ascii=False)} if value else ()
        for text in written:
            row = rf"(?m)^(?:{re.escape(name)}: ?|\w+\()?{re.escape(text)}\)?$\n?"
            description = re.sub(row, "", description)
    return description


def _beyond(description: str, command: str) -> str:
    """Return what the description says apart from the command and the question to allow it."""
    description = _ASKS.sub("", description) if command else description
    if not command or command not in description:
        return "" if command and squeeze(description) in squeeze(command) else description
    return re.sub(r"(?m)^[$>] *$\n?", "", description.replace(command, "", 1)).strip()


def _fields(tool_input: Mapping[str, Any], shown: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the inputs that say something which is not shown yet."""
    for name, value in tool_input.items():
        if is_unset(str(name), value):
            continue
        text = exact(_value_text(value))
        if squeeze(text) not in shown:
            yield exact(_field_name(str(name))), text


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple) and all(isinstance(each, str | int) for each in value):
        return "\n".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _field_name(name: str) -> str:
    """Return a key of a tool's input in words: "Replace all" for replace_all and replaceAll."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.replace("_", " ").replace("-", " "))
    words = words[:1].upper() + words[1:].lower() if _KEY.fullmatch(name) else name
    return re.sub(r"\b[Uu]rl\b", "URL", words)
