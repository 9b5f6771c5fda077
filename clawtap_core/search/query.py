"""A search text, parsed into words and phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clawtap_core.search.characters import (
    INSIDE_WORD,
    composed,
    folded,
    stands_alone,
    tokens,
)

LONGEST = 400
_MOST_TERMS = 20
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』", '"'))
_TERM = re.compile(r'"([^"]*)"?|([^"\s]+)')


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens in a row; with `prefix`, the last one may be unfinished."""

    tokens: tuple[str, ...]
    prefix: bool

    def pattern(self) -> str:
        """Return a regular expression for folded text."""
        text = r"[\W_]*".join(re.escape(folded(token)) for token in self.tokens)
        start = "" if stands_alone(self.tokens[0]) else f"(?<!{INSIDE_WORD})"
        whole = self.prefix or stands_alone(self.tokens[-1])
        return start + text + ("" if whole else f"(?!{INSIDE_WORD})")


@dataclass(frozen=True, slots=True)
class Query:
    """Terms that a text must all have."""

    terms: tuple[Term, ...]
    pattern: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the pattern that finds any of the terms, the longest first."""
        patterns = sorted((term.pattern() for term in self.terms), key=len, reverse=True)
        object.__setattr__(self, "pattern", re.compile("|".join(patterns) or r"(?!)"))

    def is_in(self, text: str) -> bool:
        """Return True if a text has all the terms."""
        text = folded(composed(text))
        return bool(self.terms) and all(re.search(term.pattern(), text) for term in self.terms)


def parse_query(text: str) -> Query:
    """Return the query for any text: words, and phrases in quotes. Words may be unfinished."""
    terms = []
    for match in _TERM.finditer(composed(text[:LONGEST]).translate(_QUOTES)):
        phrase, word = match.groups()
        words = tuple(tokens(word if phrase is None else phrase))
        if words:
            prefix = phrase is None and not stands_alone(words[-1])
            terms.append(Term(words, prefix))
    return Query(tuple(dict.fromkeys(terms))[:_MOST_TERMS])
