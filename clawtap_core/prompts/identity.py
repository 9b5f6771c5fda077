"""Whether two sightings are one prompt: kind and subject, whatever the wrapping."""

from __future__ import annotations

import re

from clawtap_core.model import Kind, PromptForm

_BLANKS = re.compile(r"\s+")
_HIDDEN = re.compile(r"…\s*(?:\n|$)")


def squeeze(text: str) -> str:
    """Return the text without any blanks, so that no wrapping shows in it."""
    return _BLANKS.sub("", text)


def fingerprint(form: PromptForm) -> str:
    """Return kind and normalised subject, without options, wrapping or selection."""
    return f"{form.kind.value}:{squeeze(form.subject or form.title)}{_body(form)}"


def same_prompt(one: PromptForm, other: PromptForm) -> bool:
    """Return True if both are the same question, in doubt False.

    What a CLI cuts depends on the size of the pane. A cut text is the same as a longer one that
    shows it as a part; two texts that differ are two prompts, however little of them shows.
    """
    if one.kind is not other.kind or _differ_in_position(one, other):
        return False
    if fingerprint(one) == fingerprint(other):
        return True
    if not (one.truncated or other.truncated):
        return False
    if one.subject and other.subject:
        return _is_part(*_by_length(one, other, "subject"))
    if one.subject or other.subject:
        return _subject_names(*((one, other) if one.subject else (other, one)))
    if squeeze(one.title) != squeeze(other.title):
        return False
    short, long = _by_length(one, other, "description")
    # A text that is whole cannot be a part of a longer one: it is another text.
    return short.truncated and _body(short) in _body(long)


def shows_other_text(before: PromptForm, after: PromptForm) -> bool:
    """Return True if, in a pane of one size, the texts tell that these are two prompts.

    A cut prompt's subject may not tell two calls apart (edits of one file): their texts do, unless
    one is a part of the other. Where all text is gone that told a prompt from others, it may be
    any; only in a pane that became smaller it is the same.
    """
    if _body(before) and not (after.subject or _body(after)):
        return True
    if not (before.truncated and after.truncated):
        return False
    short, long = _by_length(before, after, "description")
    shown = _pieces(short.description)
    return bool(shown) and not _in_order(shown, "".join(_pieces(long.description)))


def may_be_repainted(one: PromptForm, other: PromptForm) -> bool:
    """Return True if two cut prompts ask and offer the same, and may show other rows of one text.

    This proves nothing: it is only a reason to wait before either is called gone.
    """
    if one.kind is not other.kind or _differ_in_position(one, other):
        return False
    both_cut = one.truncated and other.truncated
    return both_cut and squeeze(one.title) == squeeze(other.title) and one.options == other.options


def _differ_in_position(one: PromptForm, other: PromptForm) -> bool:
    """Return True if they are two of one series.

    A position that is not shown tells nothing, nor does one of another total: some CLIs count
    again while the others of a series end.
    """
    here, there = one.position, other.position
    if here is None or there is None or here.total != there.total:
        return False
    return here.index != there.index


def _subject_names(named: PromptForm, plain: PromptForm) -> bool:
    """Return True if a subject made of title and description is that of a prompt without one."""
    subject = squeeze(named.subject)
    return all(squeeze(piece) in subject for piece in (plain.title, *_pieces(plain.description)))


def _by_length(one: PromptForm, other: PromptForm, field: str) -> tuple[PromptForm, PromptForm]:
    """Both, the one that shows less first."""

    def shown(form: PromptForm) -> tuple[int, bool]:
        return sum(map(len, _pieces(getattr(form, field)))), not form.truncated

    short, long = sorted((one, other), key=shown)
    return short, long


def _is_part(short: PromptForm, long: PromptForm) -> bool:
    """Return True if the shorter subject shows a part of the longer one.

    Its pieces stand there in their order. Only an ellipsis at the end of a line says that
    something is hidden there: a subject without one is whole, and equal or another.
    """
    pieces = [squeeze(piece) for piece in _HIDDEN.split(short.subject)]
    if not short.truncated or len(pieces) == 1 or not any(pieces):
        return False
    whole = "".join(_pieces(long.subject))
    ends = whole.startswith(pieces[0]) and whole.endswith(pieces[-1])
    return ends and _in_order(pieces, whole)


def _in_order(pieces: list[str], whole: str) -> bool:
    at = 0
    for piece in pieces:
        found = whole.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _pieces(text: str) -> list[str]:
    return [piece for piece in map(squeeze, _HIDDEN.split(text)) if piece]


def _body(form: PromptForm) -> str:
    """The description, unless the adapter named a subject, or nobody knows the prompt."""
    if form.subject or form.kind is Kind.UNKNOWN:
        return ""
    return squeeze(form.description)
