"""Turn the CLI's permission suggestions into options that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_core import Effect, Option
from clawtap_core.screens import slugs

ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
_LASTING = {"session": "for this session", "localSettings": "in this project"}


def lasting_options(suggestions: object) -> tuple[Option, ...]:
    """Return an option for each suggestion that is understood, with the suggestion as its data."""
    pairs = []
    for suggestion in suggestions if isinstance(suggestions, list) else ():
        try:
            pairs.append((_label(suggestion), suggestion))
        except (AttributeError, KeyError, TypeError):
            continue  # of a form that this adapter does not know
    labels = [label for label, _ in pairs]
    return tuple(
        Option(value, label, Effect.ALLOW_ALWAYS, data=suggestion)
        for value, (label, suggestion) in zip(slugs(labels), pairs, strict=True)
    )


def _label(suggestion: Mapping[str, Any]) -> str:
    """Return the label of a suggestion; raise KeyError for one that is not understood."""
    how = _LASTING.get(suggestion["destination"], "from now on")
    if suggestion["type"] == "setMode":
        mode = suggestion["mode"]
        edits = mode == ACCEPT_EDITS["mode"]
        return f"Yes, and {'allow all edits' if edits else f'switch to {mode}'} {how}"
    if suggestion["type"] == "addDirectories":
        folders = ", ".join(map(str, suggestion["directories"]))
        return f"Yes, and allow access to {folders} {how}"
    if suggestion["type"] == "addRules" and suggestion["behavior"] == "allow":
        rules = ", ".join(map(_rule, suggestion["rules"]))
        return f"Yes, and don't ask again for {rules} {how}"
    raise KeyError(suggestion["type"])


def _rule(rule: Mapping[str, Any]) -> str:
    content = rule.get("ruleContent")
    return f"{rule['toolName']}({content})" if content else str(rule["toolName"])
