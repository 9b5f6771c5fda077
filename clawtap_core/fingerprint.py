"""Whether two sightings are one prompt: kind and subject, whatever the wrapping."""

from __future__ import annotations

import re

from clawtap_core.model import Kind, PromptForm

_BLANKS = re.compile(r"\s+")


def squeeze(text: str) -> str:
    """The text without any blanks, so that no wrapping shows in it."""
    return _BLANKS.sub("", text)


def fingerprint(form: PromptForm) -> str:
    """Kind and normalised subject, without options, wrapping or selection."""
    if form.kind is Kind.UNKNOWN:
        return Kind.UNKNOWN.value
    subject = form.subject or f"{form.title} {form.description}"
    where = f"{form.position.index}/{form.position.total}" if form.position else ""
    return f"{form.kind.value}:{where}:{squeeze(subject)}"


def same_prompt(one: PromptForm, other: PromptForm) -> bool:
    """Whether both are the same question.

    What a CLI cuts depends on the size of the pane: a cut subject is the same as a longer one
    when one holds the beginning or the end of the other.
    """
    mine, theirs = fingerprint(one), fingerprint(other)
    if mine == theirs:
        return True
    if not (one.truncated or other.truncated) or one.kind is not other.kind:
        return False
    short, long = sorted((mine.split(":", 1)[1], theirs.split(":", 1)[1]), key=len)
    return bool(short) and (long.startswith(short) or long.endswith(short))
