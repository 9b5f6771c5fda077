"""The table of Copilot's wording, marks and timings."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_copilot", "copilot")
