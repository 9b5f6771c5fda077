"""Decide whether two sightings are one prompt, whatever the wrapping."""

from __future__ import annotations

import re

from clawtap_core.model import Kind, PromptForm

_BLANKS = re.compile(r"\s+")
_HIDDEN = re.compile(r"…\s*(?:\n|$)")
# What a terminal draws in the cell before it: accents, joiners, variants, skin tones, tags.
_MARKS = "\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_MARK = re.compile(f"[{_MARKS}]")
_PICTURE = "[\u2190-\u2bff\U0001f000-\U0001faff]"
_CLUSTER = re.compile(rf"\S(?:\u200d{_PICTURE}|[{_MARKS}])+")
# tmux keeps 21 bytes of a cell, newer versions 32, and drops each character that does not fit.
_KEPT = 18


def squeeze(text: str) -> str:
    """Return the text without blanks, so that wrapping does not matter.

    Of many characters in one cell it has those that every terminal keeps.
    """
    if _MARK.search(text):
        text = _CLUSTER.sub(lambda cluster: _kept(cluster[0]), text)
    return _BLANKS.sub("", text)


def may_lack_characters(text: str) -> bool:
    """Return True if a cell of this text is so full that the terminal may have dropped some."""
    return any(_kept(cluster[0]) != cluster[0] for cluster in _CLUSTER.finditer(text))


def _kept(cluster: str) -> str:
    return cluster.encode(errors="surrogatepass")[:_KEPT].decode(errors="ignore")


def subject_of(*lines: str, cut: bool) -> str:
    """Return a prompt's subject; `cut`: more of it is out of sight above these lines."""
    return "\n".join(("…", *lines) if cut else lines)


def fingerprint(form: PromptForm) -> str:
    """Return kind and normalised subject, without options, wrapping or selection."""
    return f"{form.kind.value}:{squeeze(form.subject or form.title)}{_body(form)}"


def same_prompt(first: PromptForm, second: PromptForm) -> bool:
    """Return True if both are the same question; if in doubt, False."""
    if first.kind is not second.kind or _differ_in_position(first, second):
        return False
    if not (first.above.endswith(second.above) or second.above.endswith(first.above)):
        return False
    if fingerprint(first) == fingerprint(second):
        return True
    # What a CLI cuts depends on the size of the pane, so a cut text may match a longer one.
    if not (first.truncated or second.truncated):
        return False
    if first.subject and second.subject:
        return _is_part(*_by_length(first, second, "subject"))
    if first.subject or second.subject:
        named, plain = (first, second) if first.subject else (second, first)
        subject, texts = squeeze(named.subject), (plain.title, *_pieces(plain.description))
        return all(squeeze(piece) in subject for piece in texts)
    if squeeze(first.title) != squeeze(second.title):
        return False
    short, long = _by_length(first, second, "description")
    # A whole text cannot be a part of a longer one.
    return short.truncated and _body(short) in _body(long)


def shows_other_text(before: PromptForm, after: PromptForm) -> bool:
    """Return True if the texts prove two prompts, in a pane of one size."""
    if before.above != after.above:
        return True
    # Without any text it may be any prompt; only a pane that became smaller hides the same one.
    if _body(before) and not (after.subject or _body(after)):
        return True
    if not (before.truncated and after.truncated):
        return False
    # The subject of a cut prompt may match for two calls (edits of one file); their texts differ.
    short, long = _by_length(before, after, "description")
    shown = _pieces(short.description)
    return bool(shown) and not _in_order(shown, "".join(_pieces(long.description)))


def may_be_repainted(first: PromptForm, second: PromptForm) -> bool:
    """Return True if two cut prompts may show different rows of one text.

    This proves nothing; it is only a reason to wait before either is called gone.
    """
    return (
        first.kind is second.kind
        and not _differ_in_position(first, second)
        and first.truncated
        and second.truncated
        and squeeze(first.title) == squeeze(second.title)
        and first.options == second.options
    )


def _differ_in_position(first: PromptForm, second: PromptForm) -> bool:
    here, there = first.position, second.position
    # Some CLIs count again as others of a series end, so positions of another total prove nothing.
    return bool(here and there and here.total == there.total and here.index != there.index)


def _by_length(first: PromptForm, second: PromptForm, field: str) -> tuple[PromptForm, PromptForm]:
    def shown(form: PromptForm) -> tuple[int, bool, bool]:
        text = getattr(form, field)
        # Of two that show as much, the one that says that more is hidden shows less.
        return sum(map(len, _pieces(text))), not form.truncated, not _HIDDEN.search(text)

    short, long = sorted((first, second), key=shown)
    return short, long


def _is_part(short: PromptForm, long: PromptForm) -> bool:
    """Return True if the shorter subject shows a part of the longer one, in order."""
    pieces = [squeeze(piece) for piece in _HIDDEN.split(short.subject)]
    # Only an ellipsis at the end of a line hides text; a subject without one is whole.
    if not short.truncated or len(pieces) == 1 or not any(pieces):
        return False
    whole = "".join(_pieces(long.subject))
    ends = whole.startswith(pieces[0]) and whole.endswith(pieces[-1])
    return ends and _in_order(pieces, whole)


def _in_order(pieces: list[str], whole: str) -> bool:
    at = 0
    for piece in pieces:
        if (at := whole.find(piece, at)) < 0:
            return False
        at += len(piece)
    return True


def _pieces(text: str) -> list[str]:
    return [piece for piece in map(squeeze, _HIDDEN.split(text)) if piece]


def _body(form: PromptForm) -> str:
    """Return the description, unless the adapter named a subject or the prompt is unknown."""
    if form.subject or form.kind is Kind.UNKNOWN:
        return ""
    return squeeze(form.description)
