"""Passwords, keys and tokens, which do not belong in a search index."""

from __future__ import annotations

import re

HIDDEN = "•••"
_NAMED = (
    r"(?:passw(?:or)?d|[_-]pass|passphrase|secret|token|credential"
    r"|(?:api|private|secret|access|account|signing|encryption)[_-]?key)s?"
)
_SECRET_NAME = re.compile(_NAMED + r"\Z", re.I)
_SECRETS = re.compile(
    "|".join(
        (
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            r"\b(?:sk|pk|rk)[-_][\w-]{16,}",
            r"\bgh[opsur]_\w{20,}",
            r"\bgithub_pat_\w{20,}",
            r"\bglpat-[\w-]{16,}",
            r"\bxox[abeoprs]-[\w-]{10,}",
            r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
            r"\bAIza[\w-]{30,}",
            r"\b(?:npm|hf)_\w{20,}",
            r"\bpypi-[\w-]{16,}",
            r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?",
            # Long, with capitals, small letters and digits: nobody searches for such a word.
            r"(?<![\w/.-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{32,}(?![\w/-])",
        )
    )
)
_VALUES = re.compile(
    rf"(?P<before>{_NAMED}[\"']?\s*(?:[:=]|\bis\b)\s*[\"']?|\bbearer\s+|://[^\s/:@]+:"
    rf"|--[\w-]{{0,30}}?{_NAMED}\s+[\"']?|\s(?:-u|--user)\s+[^\s/:@]+:"
    r"|\bauthorization:\s*basic\s+)"
    r"(?P<value>[^\s\"',;@]{6,})",
    re.I,
)


def without_secrets(text: str) -> str:
    """Return text in which what looks like a password, key or token is hidden."""
    return _VALUES.sub(rf"\g<before>{HIDDEN}", _SECRETS.sub(HIDDEN, text))


def names_secret(name: str) -> bool:
    """Return True if a field of this name holds a secret."""
    return bool(_SECRET_NAME.search(name))
