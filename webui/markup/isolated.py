"""Paths and commands as markup in which right-to-left words stay in their places."""

from __future__ import annotations

from markupsafe import Markup, escape

from clawtap_core.server.bidi import isolate_phrases, isolate_words


def isolated(text: str) -> Markup:
    """Escape a path or other text of a program."""
    return Markup(isolate_phrases(str(escape(text))))  # noqa: S704 -- escaped


def isolated_command(text: str) -> Markup:
    """Escape a command."""
    return Markup(isolate_words(str(escape(text))))  # noqa: S704 -- escaped
