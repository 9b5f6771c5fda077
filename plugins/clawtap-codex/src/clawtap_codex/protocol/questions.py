"""Questions of the model, and requests of MCP servers: tools, forms, pages to open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clawtap_codex.protocol.requests import (
    Choice,
    Result,
    ServerRequest,
    reply_by_option,
    to_options,
)
from clawtap_core import Effect, Kind, PromptForm, Question, QuestionOption, Response
from clawtap_core.protocol_io.elicitation import content_of, options_of_form, questions_of
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

_TOOL_APPROVAL = "mcp_tool_call_approval_"
_EFFECTS = {
    "Allow": Effect.ALLOW_ONCE,
    "Allow for this session": Effect.ALLOW_ALWAYS,
    "Cancel": Effect.DENY,
}
_PERSIST = {"session": "Allow for this session", "always": "Always allow"}
_NOTE = "user_note: "
_OTHER = "None of the above"
_DECLINE: Result = {"action": "decline", "content": None, "_meta": None}
_CANCEL: Result = {"action": "cancel", "content": None, "_meta": None}


def questions(params: Mapping[str, Any], item: Mapping[str, Any]) -> ServerRequest:
    """Build the prompt for questions; 0.116 asks about MCP tools the same way."""
    questions_asked = objects_in(params, "questions")
    if len(questions_asked) == 1 and text(questions_asked[0], "id").startswith(_TOOL_APPROVAL):
        return _old_tool(params, item, questions_asked[0])
    prompt_questions = tuple(map(_question, questions_asked))
    names = [text(each, "id") for each in questions_asked]
    form = PromptForm(
        kind=Kind.QUESTION,
        title=prompt_questions[0].question if prompt_questions else "The model asks",
        tool_name="request_user_input",
        tool_call_id=text(params, "itemId") or None,
        questions=prompt_questions,
    )

    def reply(response: Response) -> Result | None:
        answers = {
            name: {"answers": _answer(question, answer, response.notes.get(str(index)))}
            for index, (name, question) in enumerate(zip(names, prompt_questions, strict=True))
            if (answer := response.answers.get(str(index)))
        }
        return {"answers": answers} if answers and response.decision != "deny" else None

    return ServerRequest(form, reply, refused_by_interrupt=True)


def elicitation(params: Mapping[str, Any], item: Mapping[str, Any]) -> ServerRequest:
    """Build the prompt for a request of an MCP server, or for one of its tools."""
    meta = mapping(params.get("_meta"))
    if meta.get("codex_approval_kind") == "mcp_tool_call":
        return _tool(params, item, meta)
    if params.get("mode") == "url":
        return _page(params)
    schema = mapping(params.get("requestedSchema"))
    # A form without fields asks for consent only.
    return _form(params, schema) if mapping(schema.get("properties")) else _consent(params)


def _question(question: Mapping[str, Any]) -> Question:
    options = objects_in(question, "options")
    return Question(
        question=text(question, "question"),
        header=text(question, "header"),
        options=tuple(
            QuestionOption(text(each, "label"), text(each, "description") or None)
            for each in options
        ),
        other=bool(question.get("isOther")) and bool(options),
        input_type=None if options else "text",
        secret=bool(question.get("isSecret")),
        notes=bool(options),
    )


def _answer(question: Question, value: str | tuple[str, ...], note: str | None) -> list[str]:
    answer = value if isinstance(value, str) else ", ".join(value)
    if not question.options:
        return [answer]
    if answer not in {option.label for option in question.options}:
        # As in the TUI, a free answer is a note on the last option.
        answer, note = _OTHER, f"{answer}\n{note}" if note else answer
    return [answer, f"{_NOTE}{note}"] if note else [answer]


def _old_tool(
    params: Mapping[str, Any], item: Mapping[str, Any], question: Mapping[str, Any]
) -> ServerRequest:
    name = text(question, "id")
    choices = [
        Choice(
            text(option, "label"),
            _EFFECTS.get(text(option, "label"), Effect.OTHER),
            {"answers": {name: {"answers": [text(option, "label")]}}},
        )
        for option in objects_in(question, "options")
    ]
    arguments = item.get("arguments")
    server, tool = text(item, "server"), text(item, "tool")
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=text(question, "question"),
        tool_name=f"{server}.{tool}" if server and tool else None,
        tool_input=arguments if isinstance(arguments, dict) else None,
        tool_call_id=text(params, "itemId") or None,
        options=to_options(choices),
    )
    return ServerRequest(form, reply_by_option(choices), refused_by_interrupt=True)


def _tool(
    params: Mapping[str, Any], item: Mapping[str, Any], meta: Mapping[str, Any]
) -> ServerRequest:
    offered = meta.get("persist")
    lasting = offered if isinstance(offered, list) else [offered]
    choices = [
        Choice("Allow", Effect.ALLOW_ONCE, _accepted()),
        *(
            Choice(_PERSIST[each], Effect.ALLOW_ALWAYS, _accepted({"persist": each}))
            for each in lasting
            if isinstance(each, str) and each in _PERSIST
        ),
        Choice("Cancel", Effect.DENY, _CANCEL),
    ]
    tool = text(meta, "tool_name") or text(item, "tool")
    arguments = meta.get("tool_params", item.get("arguments"))
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=text(params, "message"),
        description=text(meta, "tool_description"),
        tool_name=f"{text(params, 'serverName')}.{tool}" if tool else None,
        tool_input=arguments if isinstance(arguments, dict) else None,
        tool_call_id=text(item, "id") or None,
        options=to_options(choices),
    )
    return ServerRequest(form, reply_by_option(choices))


def _form(params: Mapping[str, Any], schema: Mapping[str, Any]) -> ServerRequest:
    fields = questions_of(schema)
    form = PromptForm(
        kind=Kind.QUESTION,
        title=text(params, "message"),
        tool_name=text(params, "serverName") or None,
        questions=fields,
        options=options_of_form(fields),
    )
    refusals = {"decline": _DECLINE, "cancel": _CANCEL}

    def reply(response: Response) -> Result | None:
        if response.selected_option in refusals:
            return refusals[response.selected_option]
        content = content_of(schema, response)
        return None if content is None else {**_accepted(), "content": content}

    return ServerRequest(form, reply)


def _consent(params: Mapping[str, Any]) -> ServerRequest:
    choices = (
        Choice("Allow", Effect.ALLOW_ONCE, _accepted()),
        Choice("Deny", Effect.DENY, _DECLINE),
        Choice("Cancel", Effect.DENY, _CANCEL),
    )
    return _asked_by_server(params, choices, "")


def _page(params: Mapping[str, Any]) -> ServerRequest:
    choices = (
        Choice("I opened it", Effect.ALLOW_ONCE, {**_accepted(), "content": None}),
        Choice("Decline", Effect.DENY, _DECLINE),
        Choice("Cancel", Effect.DENY, _CANCEL),
    )
    return _asked_by_server(params, choices, text(params, "url"))


def _asked_by_server(
    params: Mapping[str, Any], choices: tuple[Choice, ...], about: str
) -> ServerRequest:
    form = PromptForm(
        kind=Kind.QUESTION,
        title=text(params, "message"),
        description=about,
        tool_name=text(params, "serverName") or None,
        options=to_options(choices),
    )
    return ServerRequest(form, reply_by_option(choices))


def _accepted(meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"action": "accept", "content": {}, "_meta": meta}
