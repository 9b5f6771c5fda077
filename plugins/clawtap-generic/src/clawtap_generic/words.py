"""The table of how programs ask."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_generic", "generic")
