"""How texts are cut into words: the same way when they are stored and when they are searched.

Scripts without spaces and emoji are searched character by character. SQLite's trigram tokenizer
would find parts of words too, but no Chinese word of two characters and no emoji, and it takes
twice the space and time.
"""

from __future__ import annotations

import re
import unicodedata

# Kana, Han, Hangul, Thai to Khmer, symbols and emoji.
_SINGLE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2600-\u27bf\u2b00-\u2bff\u2e80-\u2fdf\u3005-\u30ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U0001f000-\U0001faff"
    "\U00020000-\U0003ffff"
)
# A character of a word that is written with spaces around it.
INSIDE_WORD = rf"[^\W_{_SINGLE}]"
_ALONE = re.compile(f"[{_SINGLE}]")
_TOKEN = re.compile(rf"[{_SINGLE}]|{INSIDE_WORD}+")
# Drawing characters separate words.
_DRAWN = re.compile("[\u2190-\u25ff]+")


def composed(text: str) -> str:
    """Return text whose accents are parts of their letters."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def separated(text: str) -> str:
    """Return text for the tokenizer, with single characters set apart."""
    return text if text.isascii() else _ALONE.sub(r" \g<0> ", _DRAWN.sub(" ", text))


def tokens(text: str) -> list[str]:
    """Return the words and single characters of a text."""
    return _TOKEN.findall(text)


def stands_alone(token: str) -> bool:
    """Return True for a character that is searched by itself."""
    return bool(_ALONE.match(token))


class _Folding(dict[int, str]):
    """Maps each character to one in lower case without its accent; filled as characters come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        parts = unicodedata.normalize("NFD", character)
        plain = parts[0] if all(map(unicodedata.combining, parts[1:])) else character
        folded = plain.lower()
        self[code] = folded = folded if len(folded) == 1 else plain
        return folded


_FOLDING = _Folding()


def folded(text: str) -> str:
    """Return text in lower case and without accents, each character at its place."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)
