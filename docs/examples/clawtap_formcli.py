"""ClawTap adapter for the Form CLI, formcli.py; docs/adapters.md explains it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clawtap_core import (
    AdapterInfo,
    Effect,
    Kind,
    Option,
    PromptForm,
    Question,
    QuestionOption,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    hookimpl,
    keystrokes,
)
from clawtap_core.keystrokes import ComposerProfile, Draft, KeyProfile, Pages, choose, page_by_page
from clawtap_core.model import Position
from clawtap_core.screens import OptionRow, ParsedPrompt, parsed_once, single_rows

FOOTER = "Enter to choose, Esc to leave"
COMMAND = re.compile(r"Run this command\?(?: \((?P<agent>.+)\))?")
TABS = re.compile(r"(?:\S+ │ )*\[\S+\](?: │ \S+)*")
COMPOSER = re.compile(r"> ?(?P<draft>.*)")
FOLDED = re.compile(r"\[Pasted text, (?P<lines>\d+) lines\]")
OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))
KEYS = KeyProfile(settled=0.1)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Say who the adapter is."""
    return AdapterInfo(id="formcli", name="Form CLI", commands=("formcli.py",))


@parsed_once
def read_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt at the end of the screen: a command, or one page of a form."""
    lines = screen.text.split("\n")
    rows = single_rows(lines[:-1]) if lines[-1] == FOOTER else ()
    for top in range(rows[0].first - 1, -1, -1) if rows else ():
        body = [line.strip() for line in lines[top + 1 : rows[0].first] if line.strip()]
        if asked := COMMAND.fullmatch(lines[top]):
            return read_command(asked["agent"], body, rows, top)
        if TABS.fullmatch(lines[top]) and body:
            return read_page(lines[top].split(" │ "), body, rows, top)
    return None


def read_command(
    agent: str | None, body: Sequence[str], rows: Sequence[OptionRow], top: int
) -> ParsedPrompt | None:
    """Read a permission; a subagent's names its agent."""
    if [row.label for row in rows] != [option.label for option in OPTIONS]:
        return None
    form = PromptForm(
        Kind.PERMISSION,
        "Run this command?",
        "\n".join(body),
        options=OPTIONS,
        selected=next(o.value for o, row in zip(OPTIONS, rows, strict=True) if row.selected),
        origin=agent,
        top=top,
    )
    return ParsedPrompt(form, tuple(rows))


def read_page(
    tabs: Sequence[str], body: Sequence[str], rows: Sequence[OptionRow], top: int
) -> ParsedPrompt:
    """Read the open tab as a question; the last tab is the review page."""
    at = next(index for index, tab in enumerate(tabs) if tab.startswith("["))
    review = at == len(tabs) - 1
    options = tuple(QuestionOption(row.label) for row in rows)
    question = Question(body[0], header=tabs[at].strip("[]"), options=options)
    form = PromptForm(
        Kind.QUESTION,
        body[0],
        "\n".join(body[1:]),
        questions=(question,),
        selected=next(row.label for row in rows if row.selected),
        position=None if review else Position(at + 1, len(tabs) - 1),
        top=top,
    )
    return ParsedPrompt(form, tuple(rows), review=review)


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt that stands on the screen."""
    parsed = read_prompt(screen)
    return parsed.form if parsed else None


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Answer the open page; after the last question, send the review page too."""
    pages = Pages(
        keys=lambda parsed, progress: answer(prompt, response, parsed, progress),
        follows=lambda parsed: is_last_question(parsed.form),
        review=lambda parsed: choose(parsed, "Send", KEYS),
    )
    return page_by_page(prompt, read_prompt(screen), progress, pages)


def is_last_question(form: PromptForm) -> bool:
    """Return True if the review page comes next."""
    return form.position is not None and form.position.index == form.position.total


def answer(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    """Return the next key on this page."""
    if response.decision == "deny":
        return KEYS.decide("Escape")
    if option := prompt.option(response.selected_option or ""):
        return choose(parsed, option.label, KEYS, progress)
    labels = response.labels()
    return choose(parsed, labels[0], KEYS, progress) if labels else None


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """Return whether it asks or takes a message."""
    if read_prompt(screen):
        return SeenState(SessionState.WAITING)
    draft = read_draft(screen)
    return SeenState(SessionState.IDLE, draft=draft.text) if draft else None


def read_draft(screen: Screen) -> Draft | None:
    """Return what stands in the composer, the last row of the screen."""
    found = COMPOSER.fullmatch(screen.text.split("\n")[-1])
    return Draft(found["draft"]) if found else None


def stands_for(draft: str, text: str) -> bool:
    """Return True if the composer shows a pasted text only by the number of its lines."""
    found = FOLDED.fullmatch(draft)
    return found is not None and int(found["lines"]) == text.count("\n") + 1


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Type or paste a message, read it back, then press Enter."""
    profile = ComposerProfile(read_draft, typed=60, folded=stands_for)
    return keystrokes.compose(text, screen, progress, profile)
