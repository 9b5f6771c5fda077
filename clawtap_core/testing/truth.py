"""The truth of a recorded screen: compare it with what an adapter reads, or write that down."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import Any

from clawtap_core.model import PromptForm, SeenState
from clawtap_core.prompts.identity import squeeze
from clawtap_core.testing.recordings import Row, Truth

# Labels of rows that usually only steer a form.
STEERING = ("Done", "Next", "Submit")

# On the wire a start-up dialog has the kind of what it asks for.
_STARTUP = ("permission", "question")
_SIDES = re.compile("[│┃]")
_FIELDS = fields(PromptForm)
# How much of a text is shown where two differ, and how much of that is before it.
_SHOWN, _BEFORE = 50, 20


def differences(
    form: PromptForm, truth: Truth, steering: Collection[str] = (), shown: str | None = None
) -> list[str]:
    """Describe where the form differs from the truth, one sentence each.

    `steering`: labels of rows that only steer a form, like Done, and are no options. `shown`: the
    text of the screen; words that it lacks were cut by the CLI, so no adapter can read them.
    """
    checks = (_kind, _text_input, _multi_select, _selected)
    faults = [fault for check in checks for fault in check(form, truth)]
    return [*faults, *_words(form, truth, shown), *_rows(form, truth, steering)]


def _kind(form: PromptForm, truth: Truth) -> Iterator[str]:
    expected = _STARTUP if truth.kind == "startup" else (truth.kind,)
    if truth.kind and form.kind.value not in expected:
        yield f"the kind is {form.kind.value!r}, not {truth.kind!r}"


def _words(form: PromptForm, truth: Truth, shown: str | None) -> Iterator[str]:
    there = None if shown is None else squeeze(_SIDES.sub("", shown))
    asked = [question.question for question in form.questions]
    inputs = [str(value) for value in (form.tool_input or {}).values()]
    whole = squeeze(" ".join([form.title, form.description, *asked, *inputs]))
    for name in ("title", "description", "command"):
        words = getattr(truth, name)
        if not words or (there is not None and squeeze(words) not in there):
            continue
        if squeeze(words) not in whole and not (form.truncated and name != "title"):
            yield f"the {name} {words!r} is not in what was read: {whole!r}"


def _text_input(form: PromptForm, truth: Truth) -> Iterator[str]:
    takes = takes_text(form)
    # A row for free text may be among those that the list hides.
    if truth.text_input is not None and takes != truth.text_input and not form.more_options:
        yield f"it {'takes' if takes else 'does not take'} free text"


def _multi_select(form: PromptForm, truth: Truth) -> Iterator[str]:
    several = takes_several(form)
    if truth.multi_select is not None and several != truth.multi_select:
        yield f"it takes {'several options' if several else 'one option'}"


def _selected(form: PromptForm, truth: Truth) -> Iterator[str]:
    row = truth.selected
    if row and not row.text_input and form.selected:
        option = form.option(form.selected)
        label = option.label if option else form.selected
        if not _same(label, row.label):
            yield f"the cursor is on {row.label!r}, not on {label!r}"


def _rows(form: PromptForm, truth: Truth, steering: Collection[str]) -> Iterator[str]:
    if not truth.rows:
        return
    read = labels(form)
    steers = {row.label for row in truth.rows if row.label in steering and not row.option}
    real = [row for row in truth.rows if not row.text_input and row.label not in steers]
    for label in read:
        if not any(_same(label, row.label) for row in real):
            yield f"there is no option {label!r}"
    missing = [row.label for row in real if not _shown_as(row, read)]
    if missing and not form.more_options:
        yield f"options were not read: {missing}"
    matched = [label for label in read if any(_same(label, row.label) for row in real)]
    if matched != [label for row in real for label in _shown_as(row, read)]:
        yield f"the options stand in another order: {read}"


def truth_as_read(form: PromptForm | None, seen: SeenState | None) -> dict[str, Any]:
    """Return the truth for NAME.json as an adapter read it, right or wrong."""
    truth: dict[str, Any] = {"is_prompt": form is not None}
    if form:
        options = labels(form)
        chosen = form.option(form.selected) if form.selected else None
        label = chosen.label if chosen else form.selected
        truth |= {
            "kind": form.kind.value,
            "title": form.title,
            "description": form.description or None,
            "options": [_row_as_read(at, label) for at, label in enumerate(options, 1)],
            "selected_index": options.index(label) + 1 if label in options else None,
            "text_input": takes_text(form),
            "multi_select": takes_several(form),
        }
    if seen:
        truth["state"] = seen.state.value
    return {**truth, "refusal": seen.refusal.reason} if seen and seen.refusal else truth


def _row_as_read(index: int, label: str) -> dict[str, Any]:
    row: dict[str, Any] = {"index": index, "label": label}
    return {**row, "option": True} if label in STEERING else row


def change(before: PromptForm | None, after: PromptForm | None) -> str:
    """Describe the first field in which two readings of a screen differ."""
    if before is None or after is None:
        return "a prompt was read" if after else "no prompt was read"
    pairs = ((each.name, getattr(before, each.name), getattr(after, each.name)) for each in _FIELDS)
    name, was, now = next((name, was, now) for name, was, now in pairs if was != now)
    if not (isinstance(was, str) and isinstance(now, str)):
        was, now = repr(was), repr(now)
    pairs_of_letters = enumerate(zip(was, now, strict=False))
    differ = next((at for at, (a, b) in pairs_of_letters if a != b), min(len(was), len(now)))
    same = max(0, differ - _BEFORE)
    shown = (f"{'…' * bool(same)}{text[same : same + _SHOWN]}" for text in (was, now))
    return f"the {name} {next(shown)!r} becomes {next(shown)!r}"


def takes_text(form: PromptForm) -> bool:
    """Return True if the prompt or one of its questions takes free text."""
    fields = [question for question in form.questions if question.other or not question.options]
    return form.text_input is not None or bool(fields)


def takes_several(form: PromptForm) -> bool:
    """Return True if one of its questions takes several options."""
    return any(question.multi_select for question in form.questions)


def labels(form: PromptForm) -> list[str]:
    """Return the labels of all options, of the prompt and of its questions."""
    asked = [option.label for question in form.questions for option in question.options]
    return [option.label for option in form.options] + asked


def _shown_as(row: Row, read: Collection[str]) -> list[str]:
    """Return the labels that match this row exactly, or else except for a key hint."""
    exact = [label for label in read if squeeze(label) == squeeze(row.label)]
    return exact or [label for label in read if _same(label, row.label)]


def _same(label: str, shown: str) -> bool:
    """Return True if a label is the shown row, except for a key hint in brackets."""
    short, whole = squeeze(label), squeeze(shown)
    rest = whole.removeprefix(short)
    return short == whole or (
        whole.startswith(short) and rest.startswith("(") and rest.endswith(")")
    )
