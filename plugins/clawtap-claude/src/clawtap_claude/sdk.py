"""Browser approvals for programs that use the Claude Agent SDK for Python.

    ClaudeAgentOptions(can_use_tool=can_use_tool(HttpTransport(url, token)))

The SDK is optional: its result types are used where it is installed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from clawtap_claude.decision import DENIED
from clawtap_core.client.ask import Asking
from clawtap_core.errors import ClawTapError
from clawtap_core.model import (
    Answer,
    Effect,
    Kind,
    Option,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    Response,
)

ASK = "AskUserQuestion"
CANCELLED = "Cancelled"
# Seconds of one wait, after which a broken connection is noticed.
PIECE = 20.0
ALLOW = Option("allow", "Allow", Effect.ALLOW_ONCE)
ALWAYS = Option("allow-always", "Allow, and don't ask again", Effect.ALLOW_ALWAYS)
DENY = Option("deny", "Deny", Effect.DENY)
T = TypeVar("T")
CanUseTool = Callable[[str, dict[str, Any], Any], Awaitable[Any]]


@dataclass
class PermissionResultAllow:
    """Stands in for the SDK's class where the SDK is not installed."""

    behavior: str = "allow"
    updated_input: dict[str, Any] | None = None
    updated_permissions: list[Any] | None = None


@dataclass
class PermissionResultDeny:
    """Stands in for the SDK's class where the SDK is not installed."""

    behavior: str = "deny"
    message: str = ""
    interrupt: bool = False


def can_use_tool(
    transport: Asking,
    *,
    mode: str | Callable[[], str] = "default",
    asker: str | None = "Claude Agent SDK",
    seconds: float | None = None,
) -> CanUseTool:
    """Return a callback for the SDK's option of this name.

    It asks AskUserQuestion always and other tools only in permission mode `default`; the rest is
    allowed at once. `mode` is that mode, or a function that returns it. A prompt that cannot be
    asked, or has no answer within `seconds` (None: the server's timeout), is denied.
    """
    return _CanUseTool(transport, mode, asker, seconds)


@dataclass(frozen=True)
class _CanUseTool:
    transport: Asking
    mode: str | Callable[[], str]
    asker: str | None
    seconds: float | None

    async def __call__(self, tool: str, tool_input: dict[str, Any], context: Any = None) -> Any:
        if tool == ASK:
            form = question_form(tool_input, context)
        elif (self.mode() if callable(self.mode) else self.mode) == "default":
            form = approval_form(tool, tool_input, context)
        else:
            return allowed(tool_input)
        try:
            ended = await self._wait_until_ended(form)
        except ClawTapError as error:
            return denied(error.message)
        return result(ended, tool_input, getattr(context, "suggestions", None) or [])

    async def _wait_until_ended(self, form: PromptForm) -> Prompt:
        asking = asyncio.ensure_future(self._ask(form))
        try:
            prompt = await asyncio.shield(asking)
            while prompt.state.open:
                prompt = await in_thread(self.transport.wait, prompt.request_id, PIECE)
        except asyncio.CancelledError:
            # The agent gave the call up.
            await asyncio.shield(self._withdraw(asking))
            raise
        return prompt

    async def _ask(self, form: PromptForm) -> Prompt:
        ask = partial(self.transport.ask, form, asker=self.asker, seconds=self.seconds)
        return await in_thread(ask)

    async def _withdraw(self, asking: Awaitable[Prompt]) -> None:
        with suppress(ClawTapError):  # never asked, or just answered
            prompt = await asking
            await in_thread(self.transport.withdraw, prompt.request_id)


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """Run a blocking call in a thread of its own and return its result."""
    # Many prompts may wait at once, but asyncio's pool is small; daemon threads also let the
    # program end.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            settle = partial(_settle, future, call(*arguments), None)
        except BaseException as error:
            settle = partial(_settle, future, None, error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle)

    threading.Thread(target=run, name="clawtap-ask", daemon=True).start()
    return await future


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if not future.done():
        future.set_exception(error) if error else future.set_result(value)


def approval_form(tool: str, tool_input: Mapping[str, Any], context: Any = None) -> PromptForm:
    """Return a tool call as a permission, with *always* if the CLI suggests rules."""
    always = (ALWAYS,) if getattr(context, "suggestions", None) else ()
    lines = (_one_line(context, "description"), _one_line(context, "decision_reason"))
    return PromptForm(
        Kind.PERMISSION,
        (_one_line(context, "title") or f"Allow {tool}?")[:500],
        "\n".join(text for text in lines if text),
        tool_name=tool,
        tool_input=tool_input,
        options=(ALLOW, *always, DENY),
        **_origin(context),
    )


def question_form(tool_input: Mapping[str, Any], context: Any = None) -> PromptForm:
    """Return an AskUserQuestion as a form whose questions all take free text."""
    questions = tuple(map(_question, tool_input.get("questions") or ()))
    count = len(questions)
    title = " ".join(questions[0].question.split()) if count == 1 else f"{count} questions"
    return PromptForm(
        Kind.QUESTION,
        title[:500],
        tool_name=ASK,
        tool_input=tool_input,
        questions=questions,
        options=(Option("decline", "Decline to answer", Effect.DENY),),
        **_origin(context),
    )


def result(ended: Prompt, tool_input: dict[str, Any], suggestions: Sequence[Any] = ()) -> Any:
    """Return the SDK's result of an ended prompt."""
    resolution = ended.resolution
    response = (resolution.response if resolution else None) or Response(ended.request_id)
    if ended.state is not PromptState.ANSWERED:
        return denied(_why(ended, response))
    if ended.form.questions:
        answers = sdk_answers(ended.form.questions, response.answers)
        return allowed({**tool_input, "answers": answers})
    for_good = list(suggestions) if response.selected_option == ALWAYS.value else None
    return allowed(tool_input, for_good)


def allowed(tool_input: dict[str, Any], for_good: list[Any] | None = None) -> Any:
    """Return the SDK's result that lets a tool run and keeps these rules."""
    return _results().PermissionResultAllow(updated_input=tool_input, updated_permissions=for_good)


def denied(message: str) -> Any:
    """Return the SDK's result that refuses a tool, with a message for the agent."""
    return _results().PermissionResultDeny(message=message)


def sdk_answers(questions: Sequence[Question], answers: Mapping[str, Answer]) -> dict[str, str]:
    """Return answers keyed by the question's text, labels joined by a comma."""
    # Claude ignores answers that are keyed by index, as in ClawTap's API.
    return {
        question.question: answer if isinstance(answer, str) else ", ".join(answer)
        for index, question in enumerate(questions)
        if (answer := answers.get(str(index)))
    }


def _why(ended: Prompt, response: Response) -> str:
    """Return the message of a denial, which names the user only if a user denied it."""
    if ended.state is PromptState.DENIED:
        return response.reason or DENIED
    detail = ended.resolution.detail if ended.resolution else None
    return detail or CANCELLED if ended.state is PromptState.EXPIRED else CANCELLED


def _question(fields: Mapping[str, Any]) -> Question:
    options = (
        QuestionOption(str(row.get("label", "")), row.get("description"), row.get("preview"))
        for row in fields.get("options") or ()
    )
    return Question(
        str(fields.get("question", "")),
        str(fields.get("header", "")),
        tuple(options),
        multi_select=bool(fields.get("multiSelect")),
        other=True,
    )


def _one_line(context: Any, name: str) -> str:
    return " ".join(str(getattr(context, name, None) or "").split())


def _origin(context: Any) -> dict[str, Any]:
    return {
        "tool_call_id": getattr(context, "tool_use_id", None),
        "origin": getattr(context, "agent_id", None),
    }


def _results() -> Any:
    """Return the module with the result types, since the SDK accepts only its own."""
    try:
        return import_module("claude_agent_sdk")
    except ImportError:
        return import_module(__name__)
