"""The table of Gemini CLI's wording, marks and timings."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_gemini", "gemini")
