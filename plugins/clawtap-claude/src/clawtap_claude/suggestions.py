"""Turn the CLI's permission suggestions into options, and a chosen option back into one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clawtap_core import Effect, Option
from clawtap_core.screens import slugs

_PERMISSION = re.compile(r"(?P<type>\w+) (?P<what>.+) \((?P<destination>\w+)\)", re.DOTALL)
_RULE = re.compile(r"(?P<tool>[^()]+)(?:\((?P<content>.*)\))?", re.DOTALL)
_LASTING = {"session": "for this session", "localSettings": "in this project"}
_EDITS = "acceptEdits"


def lasting_options(suggestions: Sequence[Any]) -> tuple[Option, ...]:
    """Return an option for each suggestion that is understood."""
    pairs = [named for each in suggestions if (named := _label_and_permission(each))]
    names = slugs(label for label, _ in pairs)
    return tuple(
        Option(name, label, Effect.ALLOW_ALWAYS, description=description)
        for name, (label, description) in zip(names, pairs, strict=True)
    )


def permission(option: Option) -> Mapping[str, Any] | None:
    """Return the permission that an option stands for, or None if it came from no suggestion."""
    description = _PERMISSION.fullmatch(option.description or "")
    if description is None:
        return None
    base = {"type": description["type"], "destination": description["destination"]}
    if description["type"] == "setMode":
        return {**base, "mode": description["what"]}
    try:
        listed = json.loads(description["what"])
    except ValueError:
        return None
    if description["type"] == "addDirectories":
        return {**base, "directories": listed}
    return {**base, "behavior": "allow", "rules": list(map(_rule_fields, listed))}


def _label_and_permission(suggestion: Any) -> tuple[str, str] | None:
    """Return the label of a suggestion and its description."""
    # `permission` parses the description to send the same permission back.
    if not isinstance(suggestion, Mapping):
        return None
    kind, lasting = suggestion.get("type"), str(suggestion.get("destination", ""))
    how = _LASTING.get(lasting, "from now on")
    if kind == "setMode":
        mode = str(suggestion.get("mode"))
        what = "allow all edits" if mode == _EDITS else f"switch to {mode}"
        return f"Yes, and {what} {how}", f"setMode {mode} ({lasting})"
    if kind == "addDirectories":
        listed = [str(each) for each in suggestion.get("directories", ())]
        words = f"Yes, and allow access to {', '.join(listed)} {how}"
        return words, f"addDirectories {json.dumps(listed)} ({lasting})"
    if kind == "addRules" and suggestion.get("behavior") == "allow":
        rules = list(_rules(suggestion))
        words = f"Yes, and don't ask again for {', '.join(rules)} {how}"
        return words, f"addRules {json.dumps(rules)} ({lasting})"
    return None


def _rules(suggestion: Mapping[str, Any]) -> Iterator[str]:
    for rule in suggestion.get("rules", ()):
        content = rule.get("ruleContent")
        yield f"{rule['toolName']}({content})" if content else str(rule["toolName"])


def _rule_fields(description: str) -> Mapping[str, str]:
    pairs = _RULE.fullmatch(description)
    if pairs is None or not pairs["content"]:
        return {"toolName": description}
    return {"toolName": pairs["tool"], "ruleContent": pairs["content"]}
