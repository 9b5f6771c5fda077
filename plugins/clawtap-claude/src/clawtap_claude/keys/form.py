"""Fill in a form field by field, reading each back, then accept it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from clawtap_claude.keys.profile import KEYS
from clawtap_claude.screen.form_fields import FormField, ParsedForm
from clawtap_claude.screen.forms import ACCEPT
from clawtap_claude.words import WORDS
from clawtap_core import Answer, Press, PromptForm, Response, Steps
from clawtap_core.keystrokes import TextProgress, empty, holds, line, press, put
from clawtap_core.screens import drawn

_ROW = 40
_TRUE, _FALSE = WORDS.texts("form.true"), WORDS.texts("form.false")


@dataclass(frozen=True, slots=True)
class FormProgress:
    """The places of the fields that are right, and the progress of the text in the open one.

    `first` is the place of the first field that was asked about. `seen`: what the list of the open
    field was seen to offer. `refused`: why the form does not take an answer, which is being taken
    back.
    """

    first: int = 0
    right: frozenset[int] = frozenset()
    writing: TextProgress = field(default_factory=TextProgress)
    seen: frozenset[tuple[int, str]] = frozenset()
    refused: str = ""


def first_field(prompt: PromptForm, parsed: ParsedForm) -> int | None:
    """Return the place of the field that the first question is about, or None if in doubt.

    A prompt that was read where the form had scrolled has some of its fields only.
    """
    asked = [question.header for question in prompt.questions]
    if len(asked) == parsed.fields:
        return 0
    shown = {entry.place: entry.name for entry in parsed.entries}
    fits = [
        first
        for first in range(parsed.fields - len(asked) + 1)
        if (common := shown.keys() & set(range(first, first + len(asked))))
        and all(shown[place] == asked[place - first] for place in common)
    ]
    return fits[0] if len(fits) == 1 else None


def fill_in(
    prompt: PromptForm, response: Response, parsed: ParsedForm, progress: FormProgress | None
) -> Steps | None:
    """Return the next key of a form."""
    if progress is None:
        first = first_field(prompt, parsed)
        if first is None:
            return None
        progress = FormProgress(first)
    answers = {progress.first + int(at): answer for at, answer in response.answers.items()}
    selected = next((entry for entry in parsed.entries if entry.selected), None)
    if progress.refused and selected:
        return _take_back(selected, progress)
    left = answers.keys() - progress.right
    if not left:
        return press_button(parsed, ACCEPT, progress)
    place = min(left)
    entry = next((entry for entry in parsed.entries if entry.place == place), None)
    if entry and entry.selected:
        return _fill_selected(entry, answers[place], progress)
    if any(each.choices for each in parsed.entries):
        return press("Left", progress)  # the desk has unfolded another list
    # On a button the fields are above.
    below = selected is not None and selected.place < place
    return press("Down" if below else "Up", progress)


def press_button(parsed: ParsedForm, label: str, progress: FormProgress) -> Steps | None:
    """Return the next key towards a button, or Enter on it."""
    row = parsed.row(label)
    if row is None:
        return None
    if any(entry.choices for entry in parsed.entries):
        return press("Enter", progress)
    if row.selected:
        return KEYS.decide()
    after = label == ACCEPT and any(each.selected for each in parsed.rows)
    return press("Left" if after else "Down", progress)


def _fill_selected(entry: FormField, answer: Answer, progress: FormProgress) -> Steps | None:
    if entry.several:
        labels = _labels(entry, answer) if isinstance(answer, str) else answer
        return _pick_several(entry, labels, progress)
    answer = answer if isinstance(answer, str) else ", ".join(answer)
    if entry.choices:
        return _pick(entry, answer, progress)
    if entry.folded:
        right = holds(entry.value, answer)
        return _leave("Down", entry, progress) if right else press("Right", progress)
    if entry.ticked is not None:
        return _tick(entry, answer, progress)
    return _write(entry, line(answer), progress)


def _pick(entry: FormField, answer: str, progress: FormProgress) -> Steps | None:
    labels = [choice.label for choice in entry.choices]
    here = next((at for at, choice in enumerate(entry.choices) if choice.selected), None)
    if answer not in labels:
        return _look_on(entry, progress) or _not_offered(entry, progress, answer)
    if here is None:
        return None
    there = labels.index(answer)
    if here == there:
        # Enter takes the value and leads to the next field.
        return _leave("Enter", entry, progress)
    return press("Down" if here < there else "Up", progress)


def _labels(entry: FormField, answer: str) -> Sequence[str]:
    """Return the labels that a text names: one, or several with commas between them."""
    offered = {choice.label for choice in entry.choices}
    return [answer] if answer in offered else [each.strip() for each in answer.split(",")]


def _pick_several(entry: FormField, labels: Sequence[str], progress: FormProgress) -> Steps | None:
    seen = progress.seen | entry.offered
    unknown = set(labels) - {label for _, label in seen}
    if unknown and not entry.key_to_more(seen):
        return _not_offered(entry, progress, sorted(unknown)[0])
    here = next((at for at, choice in enumerate(entry.choices) if choice.selected), None)
    wrong = [at for at, each in enumerate(entry.choices) if each.checked != (each.label in labels)]
    if here is None:
        return None
    if not wrong:
        return _look_on(entry, progress) or _leave("Enter", entry, progress)
    progress = replace(progress, seen=seen)
    if here in wrong:
        return press("Space", progress)
    return press("Down" if here < wrong[0] else "Up", progress)


def _look_on(entry: FormField, progress: FormProgress) -> Steps | None:
    """Return the key that shows more of a list, or None if all of it was in sight."""
    seen = progress.seen | entry.offered
    key = entry.key_to_more(seen)
    return press(key, replace(progress, seen=seen)) if key else None


def _not_offered(entry: FormField, progress: FormProgress, answer: str) -> Steps:
    offered = ", ".join(label for _, label in sorted(progress.seen | entry.offered))
    why = f"{answer!r} is not offered for {entry.name} (offered: {offered})"
    return Steps((Press("Left"),), refused=why)


def _tick(entry: FormField, answer: str, progress: FormProgress) -> Steps:
    word = answer.casefold()
    if word not in (*_TRUE, *_FALSE):
        return Steps(refused=f"{entry.name} is a switch, and {answer!r} is neither yes nor no")
    right = entry.ticked is (word in _TRUE) and not entry.empty
    return _leave("Down", entry, progress) if right else press("Space", progress)


def _write(entry: FormField, text: str, progress: FormProgress) -> Steps | None:
    shown = drawn(entry.value)
    # Of a text that is longer than the row the CLI shows the last words only; at the end of the
    # desk's text they prove nothing.
    ends = holds(entry.value, text) or (len(text) > _ROW and drawn(text).endswith(shown))
    arrived = progress.writing.typed and bool(shown) and ends
    if arrived or shown == drawn(text):
        if entry.problem:
            why = f"{text!r} is no value for {entry.name}: {entry.problem}"
            return _take_back(entry, replace(progress, refused=why))
        return _leave("Down", entry, progress)
    steps = put(entry.value, text, progress.writing, KEYS)
    return steps and replace(steps, progress=replace(progress, writing=steps.progress))


def _take_back(entry: FormField, progress: FormProgress) -> Steps:
    """Empty a field whose value the form does not take, then say so."""
    if entry.value:
        return empty(entry.value, progress, KEYS)
    return Steps(refused=progress.refused)


def _leave(key: str, entry: FormField, progress: FormProgress) -> Steps:
    return press(key, FormProgress(progress.first, progress.right | {entry.place}))
