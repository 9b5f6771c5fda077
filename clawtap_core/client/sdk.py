"""Browser approvals for programs that use the Claude Agent SDK for Python.

    ClaudeAgentOptions(can_use_tool=can_use_tool(HttpTransport(url, token)))

The SDK is not needed here; its result types are used where it is installed.
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
DENIED = "User denied tool execution"
CANCELLED = "Cancelled"
PIECE = 20.0
"""For so many seconds is waited at a time: a connection that broke is noticed by then."""
ALLOW = Option("allow", "Allow", Effect.ALLOW_ONCE)
ALWAYS = Option("allow-always", "Allow, and don't ask again", Effect.ALLOW_ALWAYS)
DENY = Option("deny", "Deny", Effect.DENY)
T = TypeVar("T")
CanUseTool = Callable[[str, dict[str, Any], Any], Awaitable[Any]]


@dataclass
class PermissionResultAllow:
    """The SDK's result of this name, for where the SDK is not installed."""

    behavior: str = "allow"
    updated_input: dict[str, Any] | None = None
    updated_permissions: list[Any] | None = None


@dataclass
class PermissionResultDeny:
    """The SDK's result of this name, for where the SDK is not installed."""

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
    """The callback that the SDK's option of this name takes.

    AskUserQuestion is asked always, other tools in permission mode `default` only; everything else
    is allowed at once. `mode` is the program's permission mode, or what tells it. What cannot be
    asked, and what nobody answers within `seconds` (None: the server's usual time), is denied.
    """
    return _CanUseTool(transport, mode, asker, seconds)


@dataclass(frozen=True)
class _CanUseTool:
    transport: Asking
    mode: str | Callable[[], str]
    asker: str | None
    seconds: float | None

    async def __call__(self, tool: str, given: dict[str, Any], context: Any = None) -> Any:
        if tool == ASK:
            form = question_form(given, context)
        elif (self.mode() if callable(self.mode) else self.mode) == "default":
            form = approval_form(tool, given, context)
        else:
            return allowed(given)
        try:
            ended = await self._answered(form)
        except ClawTapError as error:
            return denied(error.message)
        return result(ended, given, getattr(context, "suggestions", None) or [])

    async def _answered(self, form: PromptForm) -> Prompt:
        asking = asyncio.ensure_future(self._ask(form))
        try:
            asked = await asyncio.shield(asking)
            while asked.state.open:
                asked = await in_thread(self.transport.wait, asked.request_id, PIECE)
        except asyncio.CancelledError:
            # The agent does not want to know any more.
            await asyncio.shield(self._take_back(asking))
            raise
        return asked

    async def _ask(self, form: PromptForm) -> Prompt:
        ask = partial(self.transport.ask, form, asker=self.asker, seconds=self.seconds)
        return await in_thread(ask)

    async def _take_back(self, asking: Awaitable[Prompt]) -> None:
        with suppress(ClawTapError):  # it was never asked, or was answered at this very moment
            asked = await asking
            await in_thread(self.transport.withdraw, asked.request_id)


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """What a call gives that blocks, in a thread of its own.

    Many prompts may wait at once, and asyncio's own threads are few; nor do these hold up the end
    of the program.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            tell = partial(_settle, future, call(*arguments), None)
        except BaseException as error:
            tell = partial(_settle, future, None, error)
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(tell)

    threading.Thread(target=run, name="clawtap-ask", daemon=True).start()
    return await future


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if not future.done():
        future.set_exception(error) if error else future.set_result(value)


def approval_form(tool: str, given: Mapping[str, Any], context: Any = None) -> PromptForm:
    """A tool call as a permission; with an option for good where the CLI suggests rules."""
    always = (ALWAYS,) if getattr(context, "suggestions", None) else ()
    told = (_told(context, "description"), _told(context, "decision_reason"))
    return PromptForm(
        Kind.PERMISSION,
        (_told(context, "title") or f"Allow {tool}?")[:500],
        "\n".join(text for text in told if text),
        tool_name=tool,
        tool_input=given,
        options=(ALLOW, *always, DENY),
        **_origin(context),
    )


def question_form(given: Mapping[str, Any], context: Any = None) -> PromptForm:
    """An AskUserQuestion as a question; every one of its questions takes a text of one's own."""
    asked = tuple(map(_question, given.get("questions") or ()))
    title = _one_line(asked[0].question) if len(asked) == 1 else f"{len(asked)} questions"
    return PromptForm(
        Kind.QUESTION,
        title[:500],
        tool_name=ASK,
        tool_input=given,
        questions=asked,
        options=(Option("decline", "Decline to answer", Effect.DENY),),
        **_origin(context),
    )


def result(ended: Prompt, given: dict[str, Any], suggestions: Sequence[Any] = ()) -> Any:
    """The SDK's result of an ended prompt. The input is always sent back."""
    resolution = ended.resolution
    response = (resolution.response if resolution else None) or Response(ended.request_id)
    if ended.state is not PromptState.ANSWERED:
        return denied(_why(ended, response))
    if ended.form.questions:
        answers = sdk_answers(ended.form.questions, response.answers)
        return allowed({**given, "answers": answers})
    for_good = list(suggestions) if response.selected_option == ALWAYS.value else None
    return allowed(given, for_good)


def allowed(given: dict[str, Any], for_good: list[Any] | None = None) -> Any:
    """The SDK's result that lets a tool run, with this input and these rules from now on."""
    return _results().PermissionResultAllow(updated_input=given, updated_permissions=for_good)


def denied(message: str) -> Any:
    """The SDK's result that refuses a tool, and what the agent is told."""
    return _results().PermissionResultDeny(message=message)


def sdk_answers(questions: Sequence[Question], answers: Mapping[str, Answer]) -> dict[str, str]:
    """Answers as Claude reads them: by the question's text, labels joined by a comma.

    By index, as ClawTap's API has them, they would be dropped without a word.
    """
    found = {}
    for index, question in enumerate(questions):
        if answer := answers.get(str(index)):
            found[question.question] = answer if isinstance(answer, str) else ", ".join(answer)
    return found


def _why(ended: Prompt, response: Response) -> str:
    """What the agent is told of a refusal: only what a user refused is called so."""
    if ended.state is PromptState.DENIED:
        return response.reason or DENIED
    detail = ended.resolution.detail if ended.resolution else None
    return detail or CANCELLED if ended.state is PromptState.EXPIRED else CANCELLED


def _question(asked: Mapping[str, Any]) -> Question:
    options = (
        QuestionOption(str(one.get("label", "")), one.get("description"), one.get("preview"))
        for one in asked.get("options") or ()
    )
    return Question(
        str(asked.get("question", "")),
        str(asked.get("header", "")),
        tuple(options),
        multi_select=bool(asked.get("multiSelect")),
        other=True,
    )


def _told(context: Any, name: str) -> str:
    return _one_line(getattr(context, name, None))


def _one_line(text: object) -> str:
    return " ".join(str(text or "").split())


def _origin(context: Any) -> dict[str, Any]:
    return {
        "tool_call_id": getattr(context, "tool_use_id", None),
        "origin": getattr(context, "agent_id", None),
    }


def _results() -> Any:
    """Where the result types are: the SDK takes its own only."""
    try:
        return import_module("claude_agent_sdk")
    except ImportError:
        return import_module(__name__)
