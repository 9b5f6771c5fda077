"""The table of Kimi Code's wording, marks and timings."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_kimi", "kimi")
