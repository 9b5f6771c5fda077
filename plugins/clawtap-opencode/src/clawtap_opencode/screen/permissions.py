"""Permissions: a headline, what the CLI wants to do, and buttons in one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clawtap_core import Effect, Kind, Option, PromptForm, TextInput
from clawtap_core.screens import Field, OptionRow, ParsedPrompt, button_row, slugs, unwrap
from clawtap_opencode.screen.block import Panel
from clawtap_opencode.words import WORDS

_ASKS = WORDS.pattern("permissions.asks")
_ALWAYS = WORDS.pattern("permissions.always")
_REJECTS = WORDS.pattern("permissions.rejects")
_SHELL = WORDS.pattern("permissions.shell")
_SUBJECT = WORDS.pattern("permissions.subject")
_COMMAND = WORDS.pattern("permissions.command")
_HINT = WORDS.pattern("permissions.hint")
_OPENED = WORDS.pattern("permissions.opened")
_KEYS = WORDS.pattern("permissions.keys")
_TOOLS = (
    ("edit", "filePath", WORDS.pattern("permissions.edit"), "path"),
    ("webfetch", "url", WORDS.pattern("permissions.fetch"), "url"),
    ("external_directory", "path", WORDS.pattern("permissions.external"), "path"),
    ("read", "filePath", WORDS.pattern("permissions.read"), "path"),
)
_EFFECTS = {
    **dict.fromkeys(WORDS.texts("permissions.allow_once"), Effect.ALLOW_ONCE),
    **dict.fromkeys(WORDS.texts("permissions.allow_always"), Effect.ALLOW_ALWAYS),
    **dict.fromkeys(WORDS.texts("permissions.reject"), Effect.DENY),
}
_SCROLL_BAR = "█▀▄"
_MARGIN = 6
# A panel is not higher, unless the user opened it.
_HIGHEST = 15


@dataclass(frozen=True)
class PermissionPrompt(ParsedPrompt):
    """`opened`: the panel takes the whole pane, which shows more of a long text."""

    opened: bool = False


@dataclass(frozen=True)
class RejectionPrompt(ParsedPrompt):
    """The field for the reason of a refusal, which a subagent's refusal opens."""


def read_permission(panel: Panel) -> ParsedPrompt | None:
    """Return the permission, its confirmation for always, or the field for a reason."""
    headline = panel.rows[1].strip() if len(panel.rows) > 4 else ""
    if _REJECTS.fullmatch(headline):
        return _read_rejection(panel, headline)
    always = _ALWAYS.fullmatch(headline)
    if not (always or _ASKS.fullmatch(headline)):
        return None
    at = next((row for row in range(len(panel.rows) - 1, 1, -1) if _buttons(panel, row)), None)
    # The keys are shown next to the buttons or, in a narrow pane, below them.
    if at is None or not any(map(_KEYS.search, panel.rows[at:])):
        return None
    # The row below them is painted last. A low pane has no room for it.
    if panel.rows[-1].strip() and not panel.fills_screen:
        return None
    buttons = _buttons(panel, at)
    # Two rows of padding are above the buttons.
    body = [_without_scroll_bar(row, panel.width) for row in panel.rows[2 : at - 2]]
    opened = any(_OPENED.search(row) for row in panel.rows[at:])
    full = opened or len(panel.rows) >= _HIGHEST or panel.top <= 1
    if not (always or full) and _is_half_painted(body):
        return None
    form = PromptForm(
        Kind.PERMISSION,
        headline[2:],
        unwrap(_indented(body), panel.width - _MARGIN).strip("\n") if always else "",
        truncated=full and bool(body) and bool(body[-1].strip()),
        options=_options(buttons),
        selected=next((row.label for row in buttons if row.selected), None),
        # Opened it covers the conversation: what is above it later is no answered call.
        top=None if opened else panel.top,
        # A call that waits is drawn like an answered one.
        answer_traces=(),
    )
    if not always:
        form = _with_subject(form, body, panel.width - _MARGIN)
    selected = form.option(form.selected) if form.selected else None
    form = replace(
        form,
        expandable=form.truncated and not opened,
        selected=selected.value if selected else None,
    )
    return PermissionPrompt(form, buttons, axis="across", escape_denies=not always, opened=opened)


def _is_half_painted(body: Sequence[str]) -> bool:
    """Return True while a panel does not show yet what it is about, or which command."""
    rows = [row.strip() for row in body if row.strip()]
    return not rows or bool(_SHELL.match(rows[0]) and not any(map(_COMMAND.match, rows)))


def _without_scroll_bar(row: str, width: int) -> str:
    # The first frame of an edit has one, where no text stands.
    return row[:-1].rstrip() if len(row) == width - 3 and row[-1] in _SCROLL_BAR else row


def _buttons(panel: Panel, row: int) -> tuple[OptionRow, ...]:
    """Return the buttons of a row, one of which has the bar's colour behind it."""
    rows = button_row(
        panel.screen,
        panel.top + row,
        lambda style: style.bg is not None and style.bg == panel.colour,
        start=panel.column + 1,
        end=panel.column + 1 + panel.width,
    )
    buttons = tuple(row for row in rows if not _HINT.match(row.label))
    return buttons if any(row.selected for row in buttons) else ()


def _options(buttons: Sequence[OptionRow]) -> tuple[Option, ...]:
    labels = [row.label for row in buttons]
    return tuple(
        Option(value, label, _EFFECTS.get(label, Effect.OTHER))
        for value, label in zip(slugs(labels), labels, strict=True)
    )


def _with_subject(form: PromptForm, body: Sequence[str], width: int) -> PromptForm:
    """Add what the CLI wants to do: a row with a mark before it, then the details."""
    blank = next((at for at, row in enumerate(body) if not row.strip()), len(body))
    subject = " ".join(row.strip() for row in body[:blank])
    details = unwrap(_indented(body[blank:]), width, code=True).strip("\n")
    named = _SUBJECT.fullmatch(subject)
    title = named["text"] if named else subject or form.title
    command = _COMMAND.match(details) if _SHELL.match(subject) else None
    if command:
        details = details[command.start("command") :]
        tool: str | None = "bash"
        call: dict[str, str] = {"command": details}
    else:
        tool, call = tool_of(title)
    return replace(
        form,
        title=title,
        description=details,
        tool_name=tool,
        tool_input=None if form.truncated else call or None,
        # The CLI draws a control character as a blank, and leaves out as much at the end.
        rewrapped=command is not None,
    )


def tool_of(title: str) -> tuple[str | None, dict[str, str]]:
    """Return the tool that a headline names, and its input."""
    for tool, argument, pattern, group in _TOOLS:
        if match := pattern.fullmatch(title):
            return tool, {argument: match[group]}
    return None, {}


def _indented(rows: Sequence[str]) -> list[str]:
    return [row.removeprefix("  ") for row in rows]


def _read_rejection(panel: Panel, headline: str) -> RejectionPrompt | None:
    """Read the field: the rows below the question, without the hints of the keys."""
    hints = [(at, match) for at, row in enumerate(panel.rows) if (match := _KEYS.search(row))]
    asked = next((at for at, row in enumerate(panel.rows) if at > 1 and row.strip()), None)
    if not hints or asked is None:
        return None
    last, hint = hints[-1]
    typed = (*panel.rows[asked + 1 : last], panel.rows[last][: hint.start()])
    form = PromptForm(
        Kind.PERMISSION,
        headline[2:],
        panel.rows[asked].strip(),
        text_input=TextInput(),
        takes_reason=True,
        top=panel.top,
    )
    text = " ".join(row.strip() for row in typed if row.strip())
    return RejectionPrompt(form, field=Field(True, text), escape_denies=False)
