"""Decide which prompts a notice may answer: those it shows whole, without a risk mark."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from clawtap_core.commands import command_key, is_unset, permission_marks, shell_command
from clawtap_core.model import Effect, Kind, Prompt, PromptForm
from clawtap_core.server.bidi import moves_text

LONGEST_DETAIL = 240
_MOST_LINES = 6
# Letters that nobody takes for Latin ones: "src/日本語test".
_UNLIKE_LATIN = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "HEBREW", "ARABIC")


def answerable_detail(prompt: Prompt, folder: str) -> str:
    """Return all that a prompt would do, or "" if it has to be opened to be answered."""
    form = prompt.form
    if not prompt.state.open or not _plain_permission(form):
        return ""
    tool_input = form.tool_input or {}
    if permission_marks(tool_input, folder or None, form.tool_name):
        return ""
    detail = "\n".join(_input_lines(tool_input))
    whole = len(detail) <= LONGEST_DETAIL and detail.count("\n") < _MOST_LINES
    # A character that hides or reorders others would show another text than the one that runs.
    exact = detail.replace("\n", "").isprintable() and not moves_text(detail)
    exact = exact and not any(_mixes_scripts(word) for word in re.findall(r"\w+", detail))
    return detail if whole and exact else ""


def _mixes_scripts(word: str) -> bool:
    """Return whether letters of another script stand among Latin ones, such as in "gіthub"."""
    scripts = {
        unicodedata.name(letter, "").partition(" ")[0] for letter in word if letter.isalpha()
    }
    return "LATIN" in scripts and bool(scripts - {"LATIN", *_UNLIKE_LATIN})


def _plain_permission(form: PromptForm) -> bool:
    return (
        form.kind is Kind.PERMISSION
        and not (form.truncated or form.more_options or form.questions or form.provisional)
        and not form.rewrapped
        and form.with_effect(Effect.ALLOW_ONCE) is not None
        and form.with_effect(Effect.DENY) is not None
    )


def _input_lines(tool_input: Mapping[str, Any]) -> Iterator[str]:
    if command := shell_command(tool_input):
        yield command
    shown = command_key(tool_input)
    for name, value in tool_input.items():
        if is_unset(name, value) or name == shown:
            continue
        yield f"{_in_words(name)}: {value if isinstance(value, str) else json.dumps(value)}"


def _in_words(name: str) -> str:
    """Return a key of a tool's input as people write it: "Dry run" for dry_run and dryRun."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
    return words[:1].upper() + words[1:].lower()
