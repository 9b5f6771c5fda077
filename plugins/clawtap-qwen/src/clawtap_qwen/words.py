"""The table of Qwen Code's wording, marks and timings."""

from clawtap_core.words import load_words

WORDS = load_words("clawtap_qwen", "qwen")
