"""Turn the CLI's requests over stream-json into prompts, and answers into replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clawtap_claude.decision import DENIED, decide
from clawtap_claude.tool_call import prompt_of_call
from clawtap_core import Kind, PromptForm, Response
from clawtap_core.protocol_io.elicitation import content_of, options_of_form, questions_of
from clawtap_core.protocol_io.json_values import mapping

_REFUSAL = {"message": DENIED}
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
    call, agent = request.get("tool_use_id"), request.get("agent_id")
    form = prompt_of_call(
        request["tool_name"],
        mapping(request.get("input")),
        call=call if isinstance(call, str) else None,
        suggestions=request.get("permission_suggestions"),
        origin=agents.get(agent, agent) if isinstance(agent, str) else None,
    )
    # The TUI takes notes only next to previews, by keys of their own; here every question does.
    questions = tuple(replace(question, notes=True) for question in form.questions)
    noted = replace(form, questions=questions)
    return Request(noted, lambda response: decide(noted, response, _REFUSAL))


def _elicitation(request: Mapping[str, Any]) -> Request:
    # A form of an MCP server, or a page to open.
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
