"""The browser of stored sessions: a table without a box, in place of the composer."""

from __future__ import annotations

from clawtap_core import Kind, PromptForm, Question, QuestionOption, Screen
from clawtap_core.screens import OptionRow, ParsedPrompt
from clawtap_gemini.screen.composer import find_composer
from clawtap_gemini.words import WORDS

_HEAD = WORDS.pattern("session_browser.head")
_ENTRY = WORDS.pattern("session_browser.entry")
_TITLE = WORDS.pattern("session_browser.title")


def read_browser(screen: Screen) -> ParsedPrompt | None:
    """Read the stored sessions to choose from."""
    lines = screen.lines
    head = next((row for row in range(len(lines) - 1, -1, -1) if _HEAD.fullmatch(lines[row])), None)
    if head is None or find_composer(screen):
        return None
    rows = []
    for at in range(head + 1, len(lines)):
        if entry := _ENTRY.fullmatch(lines[at]):
            if lines[at].count("│") < lines[head].count("│"):
                return None  # painted in part
            facts = ", ".join(fact.strip() for fact in entry["facts"].split("│"))
            label = f"{entry['index']} {entry['name']}"
            rows.append(OptionRow(None, label, bool(entry["mark"]), None, facts, at, at))
        elif lines[at].strip(" ▲▼"):
            return None
    if sum(row.selected for row in rows) != 1:
        return None
    return _prompt(lines, head, tuple(rows))


def _prompt(lines: tuple[str, ...], head: int, rows: tuple[OptionRow, ...]) -> ParsedPrompt:
    top, title, total = head, "Chat Sessions", len(rows)
    for row in range(head - 1, -1, -1):
        if match := _TITLE.match(lines[row]):
            top, title, total = row, match["title"], int(match["total"])
            break
    options = tuple(QuestionOption(row.label, row.description) for row in rows)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=title,
        subject=title,
        more_options=total > len(rows),
        questions=(Question("Which session do you want to resume?", options=options),),
        selected=next(row.label for row in rows if row.selected),
        top=top,
    )
    return ParsedPrompt(form, rows)
