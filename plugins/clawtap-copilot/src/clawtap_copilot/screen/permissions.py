"""Permissions: shell, files, paths, URLs, MCP tools, and the CLI's own dialogs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clawtap_copilot.screen.block import Block, texts_in_boxes, without_boxes
from clawtap_copilot.screen.free_text import field_of
from clawtap_copilot.words import WORDS
from clawtap_core import Effect, Kind, Option, Position, PromptForm
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import (
    OptionRow,
    ParsedPrompt,
    digits,
    is_verbatim,
    slugs,
    split_hint,
    unwrap,
)

FEEDBACK = WORDS.texts("permissions.feedback")[0]
_ASKS = WORDS.pattern("permissions.asks")
_COMMAND = WORDS.pattern("permissions.command")
_FILE = WORDS.pattern("permissions.file")
_MCP = WORDS.pattern("permissions.mcp")
_MCP_SERVER = WORDS.pattern("permissions.mcp_server")
_MCP_CALL = WORDS.pattern("permissions.mcp_call")
_MESSAGE = WORDS.pattern("permissions.message")
_URL = WORDS.pattern("permissions.url")
_PATH = WORDS.pattern("permissions.path")
_BROKEN = WORDS.texts("permissions.broken")[0]
_LEADS_TO = WORDS.texts("permissions.leads_to")[0]
_REMAINING = WORDS.pattern("permissions.remaining")
_TRUST = WORDS.pattern("dialogs.trust")
_AUTOPILOT = WORDS.pattern("dialogs.autopilot")
_TRACE = 60
_SCROLL_BAR = re.compile(r"[┃│]\s*$")
# What stands between the title of a command that waits and the command itself.
_WAITS = re.compile(r"(?:\(shell\)└|(?:\d+[hms])+)$")
_EFFECTS = (
    (WORDS.pattern("permissions.once"), Effect.ALLOW_ONCE),
    (WORDS.pattern("dialogs.limited"), Effect.ALLOW_ONCE),
    (WORDS.pattern("permissions.always"), Effect.ALLOW_ALWAYS),
    (WORDS.pattern("permissions.refuses"), Effect.DENY),
)


def read_permission(block: Block) -> ParsedPrompt | None:
    """Read a dialog whose last option refuses."""
    field = field_of(block)
    options = _options(block.options, typed=field is not None)
    if len(options) < 2 or options[-1].effect is not Effect.DENY or not block.escapes:
        return None
    asks, about = _asks(block)
    if not asks and not _AUTOPILOT.match(block.title):
        return None
    tool, call, text, doubtful = _call(block, asks)
    trace = _trace(block, call)
    heading = block.title if _COMMAND.match(asks) else ""
    selected = next((o.value for o, row in _pairs(options, block) if row.selected), None)
    form = PromptForm(
        Kind.PERMISSION,
        asks or block.title,
        "\n".join(part for part in (text or about, heading) if part),
        subject=_subject(block, asks) if tool == "path" else "",
        truncated=not block.box.whole,
        tool_name=tool,
        tool_input=call if block.box.whole else None,
        options=options,
        selected=selected,
        position=_position(block),
        dialog=_dialog(block.title),
        top=block.box.top if trace else None,
        takes_reason=field is not None,
        rewrapped=doubtful,
        answer_traces=(trace,) if trace else None,
    )
    rows = [replace(row, label=option.label) for option, row in _pairs(options, block)]
    choices = tuple(rows[:-1] if field else rows)
    return ParsedPrompt(form, choices, digits(choices), field)


def _pairs(options: Sequence[Option], block: Block) -> list[tuple[Option, OptionRow]]:
    return list(zip(options, block.options, strict=True))


def _options(rows: Sequence[OptionRow], *, typed: bool) -> tuple[Option, ...]:
    options = []
    for at, row in enumerate(rows):
        label, hint = split_hint(row.label)
        if typed and at == len(rows) - 1:
            # The user may have typed this text.
            label, hint = FEEDBACK, "esc"
        effect = next((e for pattern, e in _EFFECTS if pattern.fullmatch(label)), Effect.OTHER)
        options.append(Option("", label, effect, hint))
    names = slugs(option.label for option in options)
    return tuple(replace(o, value=name) for o, name in zip(options, names, strict=True))


def _asks(block: Block) -> tuple[str, str]:
    """Return the question above the list, and what is above it outside of boxes."""
    text = unwrap(without_boxes(block.above), block.width).strip()
    match = _ASKS.fullmatch(text)
    return (match["asks"].replace("\n", " "), match["body"].strip()) if match else ("", text)


def _call(block: Block, asks: str) -> tuple[str | None, Mapping[str, Any] | None, str, bool]:
    """Return the tool, its arguments, the text that says so, and whether they may be others."""
    boxes = texts_in_boxes(block.above, block.width)
    shown = "\n".join(boxes)
    if _COMMAND.match(asks):
        command = shown or _in_cut_box(block)
        call = {"command": command} if command else None
        # The CLI prints no control characters, nor what they hide from a terminal.
        return "bash", call, command, True
    if file := _FILE.match(asks):
        return file["tool"], {"path": file["path"]}, "", False
    if _MCP.match(asks):
        return _mcp_name(block), _json(shown), f"{block.title}\n{shown}".strip(), False
    about = _asks(block)[1]
    text = f"{about}\n{shown}".strip()
    first = "".join(boxes[:1])
    for tool, pattern, blank in (("url", _URL, ""), ("path", _PATH, " ")):
        if match := pattern.search(about):
            rows = first.replace(" ", blank).split("\n")
            rows = rows if match["several"] else ["".join(rows)]
            joined = len(rows) > 1 and not is_verbatim(first, block.above)
            return tool, _places(tool, rows) if first else None, text, joined
    return None, None, text, False


def _places(name: str, rows: Sequence[str]) -> Mapping[str, Any]:
    """Return the addresses or paths of these rows; behind a link stands where it leads."""
    places = [place for row in rows for place in row.removesuffix(_BROKEN).split(_LEADS_TO)]
    return {name: places[0]} if len(places) == 1 else {f"{name}s": places}


def _subject(block: Block, asks: str) -> str:
    """Return what identifies a request for paths: the CLI adds a moment later where links lead."""
    shown = "".join(texts_in_boxes(block.above, block.width)[:1])
    return "\n".join((asks, *(row.partition(_LEADS_TO)[0] for row in shown.split("\n"))))


def _trace(block: Block, call: Mapping[str, Any] | None) -> str:
    """Return how the conversation above shows the call, or "" until it does.

    The CLI may paint the call after its dialog: that is not the trace of an answered one. It always
    does so for questions and plans. Equal calls may stand there that have ended.
    """
    above = _since_the_message(block.screen.lines[: block.box.top])
    if named := _mcp_server(block):
        # Its arguments may be numbers, which stand anywhere.
        calls = (match for row in reversed(above) if (match := _MCP_CALL.search(row)))
        return next((match[0] for match in calls if match.groups() == named.groups()), "")
    value = next(iter((call or {}).values()), "")
    words = str(value[0] if isinstance(value, list) else value).split("\n")[0]
    shown, call_ = squeeze("".join(above)), squeeze(words)[:_TRACE]
    before = [shown[: match.start()] for match in re.finditer(re.escape(call_), shown)]
    if (title := squeeze(block.title)) in shown and _COMMAND.match(_asks(block)[0]):
        # Behind the title of a command that has ended stands what came of it.
        before = [text for text in before if _WAITS.sub("", text).endswith(title)]
    return words if before else ""


def _since_the_message(rows: Sequence[str]) -> list[str]:
    """Return the rows of the conversation below the user's last message, without scroll bars."""
    plain = [_SCROLL_BAR.sub("", row).rstrip() for row in rows]
    last = max((at for at, row in enumerate(plain) if _MESSAGE.match(row)), default=0)
    end = next((at for at in range(last, len(plain)) if not plain[at]), last)
    return plain[end:]


def _in_cut_box(block: Block) -> str:
    """Return what is in sight of a command whose box has no top any more."""
    rows = [row.removeprefix("│").removesuffix("│").strip() for row in block.above]
    end = next((at for at, row in enumerate(block.above) if row.startswith("╰")), len(rows))
    return "\n".join(rows[:end])


def _mcp_name(block: Block) -> str:
    """Return the name by which the model calls the tool, where the list names its server."""
    match = _mcp_server(block)
    return f"{match['server']}-{match['tool']}" if match else block.title


def _mcp_server(block: Block) -> re.Match[str] | None:
    named = (_MCP_SERVER.search(row.label) for row in block.options)
    return next((match for match in named if match), None)


def _json(text: str) -> Mapping[str, Any] | None:
    try:
        arguments = json.loads(text)
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None


def _dialog(title: str) -> str | None:
    if _TRUST.match(title):
        return "folder-trust"
    return "autopilot" if _AUTOPILOT.match(title) else None


def _position(block: Block) -> Position | None:
    """Return the place among several permissions, which a row above the box counts."""
    above = block.screen.lines[max(block.box.top - 2, 0) : block.box.top]
    match = _REMAINING.fullmatch(" ".join(above).strip())
    return Position(1, int(match["remaining"]) + 1) if match else None
