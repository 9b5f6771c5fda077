"""Turn the CLI's requests over stream-json into prompts, and answers into replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.suggestions import lasting_options
from clawtap_claude.tool_call import prompt_of_call
from clawtap_core import Answer, Effect, Kind, PromptForm, Response
from clawtap_core.protocol_io.elicitation import content_of, options_of_form, questions_of
from clawtap_core.protocol_io.json_rpc import mapping

REFUSED = "The user refused this"
_ACCEPT_EDITS = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt, and a function that returns its reply or None for an answer that does not fit."""

    form: PromptForm
    reply: Callable[[Response], Reply | None]


def request_of(request: Mapping[str, Any], agents: Mapping[str, str]) -> Request | None:
    """Return a request for the user, or None for other kinds; `agents` maps ids to tasks."""
    if request.get("subtype") == "can_use_tool" and isinstance(request.get("tool_name"), str):
        return _tool(request, agents)
    if request.get("subtype") == "elicitation":
        return _elicitation(request)
    return None


def _tool(request: Mapping[str, Any], agents: Mapping[str, str]) -> Request:
    tool_input, suggested = mapping(request.get("input")), request.get("permission_suggestions")
    suggestions = (
        [item for item in suggested if _understood(item)] if isinstance(suggested, list) else []
    )
    call, agent = request.get("tool_use_id"), request.get("agent_id")
    form = prompt_of_call(
        request["tool_name"],
        tool_input,
        call=call if isinstance(call, str) else None,
        suggestions=suggestions,
        origin=agents.get(agent, agent) if isinstance(agent, str) else None,
    )
    # The TUI takes notes only beside previews, by keys of their own; here every question does.
    noted = replace(
        form, questions=tuple(replace(question, notes=True) for question in form.questions)
    )
    return Request(noted, lambda response: _reply(noted, tool_input, suggestions, response))


def _understood(suggestion: Any) -> bool:
    try:
        return bool(lasting_options([suggestion]))
    except (AttributeError, KeyError, TypeError):
        return False


def _reply(
    form: PromptForm, tool_input: Mapping[str, Any], suggestions: Sequence[Any], response: Response
) -> Reply | None:
    option = form.option(response.selected_option or "")
    if response.decision == "deny" or (option and option.effect is Effect.DENY):
        return {"behavior": "deny", "message": response.reason or REFUSED}
    if form.kind is Kind.PLAN and response.text_value:
        return {"behavior": "deny", "message": response.text_value}
    if form.kind is Kind.QUESTION and not option:
        return _allowed(
            {**tool_input, "answers": _answers(form, response), **_annotations(form, response)}
        )
    if option is None:
        return None
    if option.effect is Effect.ALLOW_ONCE:
        return _allowed(tool_input)
    if form.kind is Kind.PLAN:
        return _allowed(tool_input, _ACCEPT_EDITS)
    lasting = _lasting(suggestions).get(option.value)
    return _allowed(tool_input, lasting) if lasting else None


def _lasting(suggestions: Sequence[Any]) -> dict[str, Mapping[str, Any]]:
    """Return the CLI's suggestions by the options that stand for them."""
    options = lasting_options(suggestions)
    return {
        option.value: suggestion for option, suggestion in zip(options, suggestions, strict=True)
    }


def _allowed(tool_input: Mapping[str, Any], *permissions: Mapping[str, Any]) -> Reply:
    lasting = {"updatedPermissions": list(permissions)} if permissions else {}
    return {"behavior": "allow", "updatedInput": dict(tool_input), **lasting}


def _answers(form: PromptForm, response: Response) -> dict[str, str]:
    return {
        request.question: _joined(answer)
        for at, request in enumerate(form.questions)
        if (answer := response.answers.get(str(at)))
    }


def _annotations(form: PromptForm, response: Response) -> dict[str, Any]:
    """Return the notes in the form of the CLI's own interface."""
    notes = {
        request.question: {"notes": note}
        for at, request in enumerate(form.questions)
        if (note := response.notes.get(str(at)))
    }
    return {"annotations": notes} if notes else {}


def _joined(answer: Answer) -> str:
    return answer if isinstance(answer, str) else ", ".join(answer)


def _elicitation(request: Mapping[str, Any]) -> Request:
    """Build the prompt for an MCP server's form or page to open."""
    schema = mapping(request.get("requested_schema"))
    questions = questions_of(schema)
    server, url = request.get("mcp_server_name"), request.get("url")
    description = "\n".join(text for text in (request.get("message"), url) if isinstance(text, str))
    form = PromptForm(
        Kind.QUESTION if questions else Kind.PERMISSION,
        f"MCP server “{server}” requests your input",
        description,
        tool_name=str(server),
        options=options_of_form(questions),
        questions=questions,
    )

    def reply(response: Response) -> Reply | None:
        if response.decision == "deny":
            return {"action": "decline"}
        if response.selected_option in ("decline", "cancel"):
            return {"action": response.selected_option}
        content = content_of(schema, response)
        return None if content is None else {"action": "accept", "content": content}

    return Request(form, reply)
