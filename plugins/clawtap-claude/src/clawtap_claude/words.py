"""The table of Claude Code's wording, marks and timings."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_claude", "claude")
