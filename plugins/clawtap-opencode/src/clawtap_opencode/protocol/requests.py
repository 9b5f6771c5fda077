"""What OpenCode's server says of a permission or a question that waits, as a form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption, Response
from clawtap_core.protocol_io.json_values import mapping, objects_in, text
from clawtap_core.screens import slugs
from clawtap_opencode.words import WORDS

# They become parts of a path.
_ID = re.compile(r"[A-Za-z0-9_]{1,100}")
_EFFECTS = {
    WORDS.texts("permissions.allow_once")[0]: Effect.ALLOW_ONCE,
    WORDS.texts("permissions.allow_always")[0]: Effect.ALLOW_ALWAYS,
    WORDS.texts("permissions.reject")[0]: Effect.DENY,
}
_OPTIONS = tuple(
    Option(value, label, _EFFECTS[label])
    for value, label in zip(slugs(list(_EFFECTS)), _EFFECTS, strict=True)
)


@dataclass(frozen=True, slots=True)
class Request:
    """A permission or a question; `path` is where it is answered."""

    id: str
    session: str
    path: str
    form: PromptForm


def permission(value: Mapping[str, Any]) -> Request | None:
    """Return a permission, or None for any other request."""
    about, tool = mapping(value.get("metadata")), text(value, "permission")
    description, tool_input = _call(tool, about, _texts(value.get("patterns")))
    form = PromptForm(
        Kind.PERMISSION,
        tool,
        description,
        tool_name=tool,
        tool_input=tool_input,
        tool_call_id=text(mapping(value.get("tool")), "callID") or None,
        options=_OPTIONS,
        takes_reason=True,
    )
    return _request("permission", value, form) if tool and tool_input else None


def question(value: Mapping[str, Any]) -> Request | None:
    """Return one or several questions, or None for any other request."""
    questions = questions_in(value)
    form = PromptForm(
        Kind.QUESTION,
        questions[0].question if questions else "",
        tool_name="question",
        tool_call_id=text(mapping(value.get("tool")), "callID") or None,
        questions=questions,
    )
    return _request("question", value, form) if questions else None


def questions_in(value: Mapping[str, Any]) -> tuple[Question, ...]:
    """Return the questions of a request, or of the call of the model that it is about."""
    return tuple(map(_question, objects_in(value, "questions")))


def reply(request: Request, response: Response) -> tuple[str, Mapping[str, Any]] | None:
    """Return the path and the body that answer a request; None for what only the TUI asks."""
    refused = response.decision == "deny"
    if request.form.kind is Kind.QUESTION:
        if refused:
            return f"{request.path}/reject", {}
        answers = [list(response.labels(at)) for at in range(len(request.form.questions))]
        return f"{request.path}/reply", {"answers": answers}
    option = request.form.option(response.selected_option or "")
    effect = Effect.DENY if refused else option.effect if option else None
    if effect is Effect.ALLOW_ONCE:
        return f"{request.path}/reply", {"reply": "once"}
    if effect is Effect.DENY:
        why = {"message": response.reason} if response.reason else {}
        return f"{request.path}/reply", {"reply": "reject", **why}
    # The TUI shows what it would always allow before that is confirmed.
    return None


def _request(kind: str, value: Mapping[str, Any], form: PromptForm) -> Request | None:
    name, session = text(value, "id"), text(value, "sessionID")
    if not _ID.fullmatch(name) or not _ID.fullmatch(session):
        return None
    return Request(name, session, f"/{kind}/{name}", form)


def _call(
    tool: str, about: Mapping[str, Any], patterns: Sequence[str]
) -> tuple[str, Mapping[str, Any] | None]:
    """Return the text of a call and its input, for the tools whose prompts name them."""
    if tool == "bash" and (command := text(about, "command")):
        return command, {"command": command}
    if tool == "edit" and (path := text(about, "filepath")):
        # The rows before the first change name the file again.
        _, at, changes = text(about, "diff").partition("@@")
        return at + changes, {"filePath": path}
    if tool == "webfetch" and (url := text(about, "url")):
        return url, {"url": url}
    if tool == "external_directory" and patterns:
        return "\n".join(patterns), {"path": patterns[0].removesuffix("*").rstrip("/") or "/"}
    return "", None


def _question(value: Mapping[str, Any]) -> Question:
    return Question(
        text(value, "question"),
        header=text(value, "header"),
        options=tuple(
            QuestionOption(text(option, "label"), text(option, "description") or None)
            for option in objects_in(value, "options")
        ),
        multi_select=value.get("multiple") is True,
        other=value.get("custom") is not False,
    )


def _texts(value: object) -> list[str]:
    return [item for item in (value if isinstance(value, list) else ()) if isinstance(item, str)]
