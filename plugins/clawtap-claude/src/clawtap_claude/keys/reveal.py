"""Read a form whole: scroll through its fields, unfold each list, and return to the first field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clawtap_claude.keys.profile import KEYS
from clawtap_claude.screen.form_fields import FormField, ParsedForm
from clawtap_claude.screen.prompt import parse_prompt
from clawtap_core import Pause, Press, PromptForm, Question, QuestionOption, Screen, Steps, hookimpl
from clawtap_core.keystrokes import press, send_one_key

_PATIENCE, _MOMENT, _APART = 20, 0.1, 0.05


@dataclass(frozen=True, slots=True)
class _Walk:
    """The fields read so far by their places; `waited`: looks since the arrows went back.

    `seen`: what the unfolded list was seen to offer.
    """

    read: Mapping[int, Question] = field(default_factory=dict)
    seen: frozenset[tuple[int, str]] = frozenset()
    waited: int | None = None


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Read every field of a form, then return to the first."""
    parsed = parse_prompt(screen)
    if not isinstance(parsed, ParsedForm):
        return None
    return send_one_key(
        parsed, progress, lambda walk: _next(parsed, walk or _Walk()), first=KEYS.settled
    )


def _next(parsed: ParsedForm, walk: _Walk) -> Steps:
    """Return the next key."""
    shown = zip(parsed.entries, parsed.form.questions, strict=True)
    new = {entry.place: question for entry, question in shown if _is_read(entry)}
    if unfolded := next((entry for entry in parsed.entries if entry.choices), None):
        seen = walk.seen | unfolded.offered
        if key := unfolded.key_to_more(seen):
            return press(key, replace(walk, seen=seen))
        options = tuple(QuestionOption(label) for _, label in sorted(seen))
        new[unfolded.place] = replace(new[unfolded.place], options=options)
        # What a list offers is known while it is unfolded only.
        return press("Left", replace(walk, read={**walk.read, **new}, seen=frozenset()))
    walk = replace(walk, read={**new, **walk.read})
    here = next((entry.place for entry in parsed.entries if entry.selected), parsed.fields)
    missing = next((place for place in range(parsed.fields) if place not in walk.read), None)
    if missing is None:
        return _back(parsed, here, walk)
    if here == missing:
        return press("Right", walk)
    return press("Down" if here < missing else "Up", walk)


def _is_read(entry: FormField) -> bool:
    """Return True if all of a field is known: only the selected one shows that it is a list."""
    return bool(entry.choices) or (entry.selected and not entry.folded)


def _back(parsed: ParsedForm, here: int, walk: _Walk) -> Steps:
    """Return to the first field, then the form as it was read."""
    if here and (walk.waited is None or walk.waited >= _PATIENCE):
        # Above the first field are the buttons, so the arrows are pressed once and waited for.
        # Older versions take arrows that arrive together for one.
        arrows = (Press("Up"), Pause(_APART)) * here
        return Steps(arrows, progress=replace(walk, waited=0))
    if here:
        return Steps((Pause(_MOMENT),), progress=replace(walk, waited=(walk.waited or 0) + 1))
    questions = tuple(_whole(walk.read[place]) for place in sorted(walk.read))
    form = replace(parsed.form, questions=questions, more_options=False, truncated=False)
    return Steps(done=True, form=form)


def _whole(question: Question) -> Question:
    options = tuple(QuestionOption(option.label) for option in question.options)
    known = replace(question, options=options)
    return replace(known, other=False, input_type=None) if options else known
