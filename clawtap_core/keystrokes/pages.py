"""Questions on pages of their own: each is answered as it comes, then the page that reviews all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.single_key import KeyProgress, send_one_key
from clawtap_core.model import PromptForm, Steps
from clawtap_core.prompts.identity import squeeze
from clawtap_core.screens import ParsedPrompt

_PATIENCE = 6


@dataclass(frozen=True, slots=True)
class Pages:
    """How the pages of one answer are filled in.

    `keys` gives the next ones on an open page, for its reading and its own progress; `follows`
    says whether a page of the same form comes after it. `review` gives those that send the page
    after the last question, or None to leave it. `again` and `first` are those of `send_one_key`.
    """

    keys: Callable[[ParsedPrompt, Any], Steps | None]
    follows: Callable[[ParsedPrompt], bool]
    review: Callable[[ParsedPrompt], Steps | None] = lambda _: None
    again: int = 0
    first: float = 0.0

    def fill(self, now: ParsedPrompt, progress: Any, *, spans: bool) -> Steps | None:
        """The next keys on this page; what decides leads to the next, where one follows."""

        def following(done: Any) -> Steps | None:
            steps = self.keys(now, done)
            if not steps or not steps.done or not self.follows(now):
                return steps
            return replace(steps, progress=PageProgress(_asked(now)), spans=True, done=False)

        return send_one_key(
            now, progress, following, again=self.again, first=self.first, spans=spans
        )


@dataclass(frozen=True, slots=True)
class PageProgress:
    """A page was answered, and another is expected.

    `asked` is its question, so that its own screen is not taken for the next. `sent`: it was the
    page that reviews all. `waited`: at how many looks no other page had come.
    """

    asked: str = ""
    sent: bool = False
    waited: int = 0


def page_by_page(
    prompt: PromptForm, now: ParsedPrompt | None, progress: Any, pages: Pages
) -> Steps | None:
    """The next keys of an answer that may go on over further pages."""
    if isinstance(progress, PageProgress):
        return _goes_on(prompt, now, progress, pages)
    if now is None:
        return Steps(progress=progress, spans=isinstance(progress, KeyProgress) and progress.spans)
    return pages.fill(now, progress, spans=False)


def open_question(prompt: PromptForm, now: ParsedPrompt) -> int | None:
    """Which of the prompt's questions is open now."""
    if len(prompt.questions) == 1:
        return 0
    asked = _asked(now)
    found = (at for at, each in enumerate(prompt.questions) if squeeze(each.question) == asked)
    return next(found, None) if asked else None


def _goes_on(
    prompt: PromptForm, now: ParsedPrompt | None, turned: PageProgress, pages: Pages
) -> Steps | None:
    over = turned.waited >= _PATIENCE or (now is None and turned.sent)
    if over or (now and not now.form.questions):
        return Steps(done=True)
    if now is None or (turned.sent if now.review else _asked(now) == turned.asked):
        # Half painted, or not yet replaced.
        return Steps(progress=replace(turned, waited=turned.waited + 1), spans=True)
    if now.review:
        return _sent(pages.review(now), turned)
    if len(prompt.questions) == 1 or open_question(prompt, now) is None:
        return Steps(done=True)
    return pages.fill(now, None, spans=True)


def _sent(steps: Steps | None, turned: PageProgress) -> Steps:
    if steps is None:
        return Steps(done=True)
    after = PageProgress(sent=True) if steps.done else replace(turned, waited=turned.waited + 1)
    return replace(steps, progress=after, spans=True, done=False)


def _asked(now: ParsedPrompt) -> str:
    return squeeze(now.form.questions[0].question) if now.form.questions else ""
