"""Commands and paths with right-to-left letters: their parts keep the order in which they are read.

Without help a browser draws `rm -rf /home/תמונות/ישן 7` with "7" right after "/home/": what stands
between two Hebrew or Arabic words takes their direction. A `<bdi>` around the words ends this.
"""

from __future__ import annotations

import re

_RANGES = (
    r"\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
    r"\U00010800-\U00010fff\U0001e800-\U0001efff"
)
_NAME = rf"[{_RANGES}]+(?:[-_.][{_RANGES}]+)*"
# Names inside a path are isolated one by one: in a phrase, the parts of two paths would mix.
_ALONE = rf"(?<![/\\]){_NAME}(?![/\\]|[-_.]?[{_RANGES}])"
_PHRASE = re.compile(rf"{_ALONE}(?:[,:;.!?]? {_ALONE})+|{_NAME}")
# Quotes as `markupsafe.escape` writes them.
_WORD = re.compile(rf"(&#34;|&#39;).*?\1|{_NAME}", re.DOTALL)
# What stands between two such words, or between one and a number, is drawn from right to left.
_BETWEEN = rf"[^A-Za-z\n{_RANGES}]"
_MOVED = re.compile(rf"[{_RANGES}](?:{_BETWEEN}+[{_RANGES}]|{_BETWEEN}*\d)")


def moves_text(text: str) -> bool:
    """Return whether right-to-left words move others, where no `<bdi>` can hold them."""
    return _MOVED.search(text) is not None


def isolate_phrases(escaped: str) -> str:
    """Put every right-to-left phrase of escaped text into a `<bdi>`."""
    return escaped if escaped.isascii() else _PHRASE.sub(r"<bdi>\g<0></bdi>", escaped)


def isolate_words(escaped: str) -> str:
    """Put every right-to-left word of an escaped command into a `<bdi>`, in quotes every phrase."""
    return escaped if escaped.isascii() else _WORD.sub(_isolated, escaped)


def _isolated(match: re.Match[str]) -> str:
    return isolate_phrases(match[0])
