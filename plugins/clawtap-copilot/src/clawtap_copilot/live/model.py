"""The scripted model of GitHub Copilot CLI, which asks the user in the form that the CLI takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from clawtap_core.testing.scripted.chat_model import ChatModel
from clawtap_core.testing.scripted.script import Turn

_ASK = "ask_user"


class CopilotModel(ChatModel):
    """A model that speaks to GitHub Copilot CLI."""

    def prepared(self, turn: Turn, body: Mapping[str, Any]) -> Turn:
        """Return the turn with its questions in the form that the CLI takes."""
        return with_taken_forms(turn, body)


def takes_forms(body: Mapping[str, Any]) -> bool:
    """Return whether the model asks the user by a schema, as a request describes the tool."""
    fields = _fields(body)
    return not fields or "requestedSchema" in fields


def with_taken_forms(turn: Turn, body: Mapping[str, Any]) -> Turn:
    """Return the turn with its forms as lists, where the CLI takes one question at a time."""
    if takes_forms(body):
        return turn
    fields = _fields(body)
    return replace(turn, parts=tuple(_as_list(part, fields) for part in turn.parts))


def _fields(body: Mapping[str, Any]) -> Collection[str]:
    tools = [tool["function"] for tool in body.get("tools") or ()]
    asks = next((tool for tool in tools if tool["name"] == _ASK), None)
    return asks["parameters"]["properties"] if asks else ()


def _as_list(part: Mapping[str, Any], fields: Collection[str]) -> Mapping[str, Any]:
    """Return the call with the first field of its form as a question."""
    call = part.get("call", {})
    asked = call.get("args", {})
    if call.get("name") != _ASK or "requestedSchema" not in asked:
        return part
    first = next(iter(asked["requestedSchema"]["properties"].values()))
    args = {"question": asked["message"], "choices": first.get("enum", []), "allow_freeform": True}
    taken = {name: value for name, value in args.items() if name in fields}
    return {"call": {**call, "args": taken}}
