"""Searching what was said: the index of messages, and the words that are looked for."""
