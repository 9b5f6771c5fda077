"""Compare typed text with drawn text by what every CLI and terminal keeps.

Terminals compose letters with their accents, drop what has no width, and disagree on how much of
an emoji they show.
"""

from __future__ import annotations

import re
import unicodedata

# Skin tones and parts of families or flags may be missing, so a run of pictographs counts as one.
_PICTOGRAPHS = re.compile(
    "(?:[#*0-9]\ufe0f?\u20e3|[\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff"
    "\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
    "[\u200d\ufe0e\ufe0f\u20e3\U000e0020-\U000e007f]*)+"
)
_ONE_PICTOGRAPH = "\ufffc"
_WIDTHLESS = ("Cf", "Mn", "Me")
# What some CLIs draw in place of a character that has no width.
_REPLACEMENT = "\ufffd"


def drawn(text: str) -> str:
    """Return the text without blanks, accents and zero-width characters, for comparison.

    Equal results mean that a screen shows no difference, not that the texts are equal.
    """
    squeezed = "".join(text.split())
    if squeezed.isascii():
        return squeezed
    composed = unicodedata.normalize("NFC", squeezed.replace(_REPLACEMENT, ""))
    merged = _PICTOGRAPHS.sub(_ONE_PICTOGRAPH, composed)
    kept = "".join(char for char in merged if unicodedata.category(char) not in _WIDTHLESS)
    return re.sub(f"{_ONE_PICTOGRAPH}+", _ONE_PICTOGRAPH, kept)


def letters(text: str) -> str:
    """Return the letters and digits of a text, which are drawn whatever its marks and wrapping."""
    return "".join(filter(str.isalnum, text))


def drawn_plainly(text: str) -> bool:
    """Return True if every terminal draws the text the same way."""
    return text.isascii() or not any(
        unicodedata.category(char) in (*_WIDTHLESS, "Zl", "Zp", "So", "Sk")
        for char in unicodedata.normalize("NFC", text)
    )
