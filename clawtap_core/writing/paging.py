"""Questions on pages of their own: each is answered as it comes, then the page that reviews all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.fingerprint import squeeze
from clawtap_core.model import PromptForm, Steps
from clawtap_core.reading import Reading
from clawtap_core.writing.pressing import Pressed

_PATIENCE = 6
Keys = Callable[[Reading, Any, bool], Steps | None]
Review = Callable[[Reading], Steps | None]


@dataclass(frozen=True, slots=True)
class Turned:
    """A page was answered, and another is expected.

    `asked` is its question, so that its own screen is not taken for the next. `sent`: it was the
    page that reviews all. `waited`: at how many looks no other page had come.
    """

    asked: str = ""
    sent: bool = False
    waited: int = 0


def page_by_page(
    prompt: PromptForm, now: Reading | None, progress: Any, keys: Keys, review: Review
) -> Steps | None:
    """The next keys of an answer that may go on over further pages.

    `keys` gives those for an open page, by its reading, its own progress, and whether the answer
    spans screens; `review` those that send the page after the last question, or None to leave it.
    """
    if isinstance(progress, Turned):
        return _goes_on(prompt, now, progress, keys, review)
    if now is None:
        return Steps(progress=progress, spans=isinstance(progress, Pressed) and progress.spans)
    return keys(now, progress, False)


def turn(now: Reading, steps: Steps | None) -> Steps | None:
    """The steps on a page that others follow: what decides here leads to the next."""
    if not steps or not steps.done:
        return steps
    return replace(steps, progress=Turned(_asked(now)), spans=True, done=False)


def open_question(prompt: PromptForm, now: Reading) -> int | None:
    """Which of the prompt's questions is open now."""
    if len(prompt.questions) == 1:
        return 0
    asked = _asked(now)
    found = (at for at, each in enumerate(prompt.questions) if squeeze(each.question) == asked)
    return next(found, None) if asked else None


def _goes_on(
    prompt: PromptForm, now: Reading | None, turned: Turned, keys: Keys, review: Review
) -> Steps | None:
    over = turned.waited >= _PATIENCE or (now is None and turned.sent)
    if over or (now and not now.form.questions):
        return Steps(done=True)
    if now is None or (turned.sent if now.review else _asked(now) == turned.asked):
        # Half painted, or not yet replaced.
        return Steps(progress=replace(turned, waited=turned.waited + 1), spans=True)
    if now.review:
        return _sent(review(now), turned)
    if len(prompt.questions) == 1 or open_question(prompt, now) is None:
        return Steps(done=True)
    return keys(now, None, True)


def _sent(steps: Steps | None, turned: Turned) -> Steps:
    if steps is None:
        return Steps(done=True)
    after = Turned(sent=True) if steps.done else replace(turned, waited=turned.waited + 1)
    return replace(steps, progress=after, spans=True, done=False)


def _asked(now: Reading) -> str:
    return squeeze(now.form.questions[0].question) if now.form.questions else ""
