"""Whether two sightings are one prompt: kind and subject, whatever the wrapping."""

from __future__ import annotations

import re

from clawtap_core.model import Kind, PromptForm

_BLANKS = re.compile(r"\s+")
_HIDDEN = re.compile(r"…\s*(?:\n|$)")


def squeeze(text: str) -> str:
    """The text without any blanks, so that no wrapping shows in it."""
    return _BLANKS.sub("", text)


def fingerprint(form: PromptForm) -> str:
    """Kind and normalised subject, without options, wrapping or selection."""
    return f"{form.kind.value}:{squeeze(form.subject or form.title)}{_body(form)}"


def same_prompt(one: PromptForm, other: PromptForm) -> bool:
    """Whether both are the same question.

    What a CLI cuts depends on the size of the pane: a cut description is the same as a longer
    one that holds it, and so is a cut subject; an ellipsis at the end of a line stands for what
    was hidden there.
    """
    if one.kind is not other.kind or _elsewhere(one, other):
        return False
    if fingerprint(one) == fingerprint(other):
        return True
    if not (one.truncated or other.truncated):
        return False
    if one.subject and other.subject:
        return _holds(one.subject, other.subject)
    if one.subject or other.subject:
        return _named(*((one, other) if one.subject else (other, one)))
    if squeeze(one.title) != squeeze(other.title):
        return False
    short, long = sorted((_body(one), _body(other)), key=len)
    return short in long


def same_question(one: PromptForm, other: PromptForm) -> bool:
    """Whether both ask and offer the same about something that is shown in part, each maybe
    another part."""
    if one.kind is not other.kind or _elsewhere(one, other):
        return False
    both_cut = one.truncated and other.truncated
    return both_cut and squeeze(one.title) == squeeze(other.title) and one.options == other.options


def _elsewhere(one: PromptForm, other: PromptForm) -> bool:
    """Whether they are two of one series.

    A place that is not shown tells nothing, nor does one of another total: some CLIs count anew
    while the others of a series end.
    """
    here, there = one.position, other.position
    if here is None or there is None or here.total != there.total:
        return False
    return here.index != there.index


def _named(named: PromptForm, plain: PromptForm) -> bool:
    """Whether a subject that was made of title and description is that of a prompt without one."""
    subject = squeeze(named.subject)
    return all(squeeze(piece) in subject for piece in (plain.title, *_pieces(plain.description)))


def _holds(one: str, other: str) -> bool:
    """Whether the longer text holds every piece that is left of the shorter."""
    pieces, whole = sorted((_pieces(one), _pieces(other)), key=lambda found: sum(map(len, found)))
    return all(piece in "".join(whole) for piece in pieces)


def _pieces(text: str) -> list[str]:
    return [piece for piece in map(squeeze, _HIDDEN.split(text)) if piece]


def _body(form: PromptForm) -> str:
    """The description, unless the adapter named a subject, or nobody knows the prompt."""
    if form.subject or form.kind is Kind.UNKNOWN:
        return ""
    return squeeze(form.description)
