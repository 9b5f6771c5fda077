"""Labels that a screen does not tell apart, since they differ in nothing that is drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from clawtap_core.model import PromptForm, Response

# They say how an emoji looks; most terminals drop them.
_VARIATIONS = dict.fromkeys((0xFE0E, 0xFE0F))


def as_drawn(text: str) -> str:
    """Return the text without invisible signs, and without blanks at its ends."""
    composed = unicodedata.normalize("NFC", text)
    kept = (char for char in composed if unicodedata.category(char) != "Cf")
    return "".join(kept).translate(_VARIATIONS).strip()


def indistinct_label(form: PromptForm, response: Response) -> str | None:
    """Return a label of the answer that a screen shows of several options, or None.

    Of rows that are drawn alike, a label that is known exactly may choose the first; it ticks none.
    """
    for at, question in enumerate(form.questions):
        labels = [option.label for option in question.options]
        for label in response.labels(at):
            if label not in labels:
                continue
            first = labels.count(label) == 1 and not question.multi_select
            if _is_drawn_twice(labels, labels.index(label), first_is_clear=first):
                return label
    option = form.option(response.selected_option or "")
    if option is None:
        return None
    labels = [each.label for each in form.options]
    twice = _is_drawn_twice(labels, form.options.index(option), first_is_clear=True)
    return option.label if twice else None


def _is_drawn_twice(labels: Sequence[str], at: int, *, first_is_clear: bool) -> bool:
    drawn = list(map(as_drawn, labels))
    first = drawn.index(drawn[at])
    return drawn.count(drawn[at]) > 1 and not (first_is_clear and first == at)
