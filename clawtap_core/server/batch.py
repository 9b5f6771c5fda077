"""One decision for several prompts of one tool. Each is delivered, and may fail, by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clawtap_core.commands import permission_marks
from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode, NotFound
from clawtap_core.model import Kind, Prompt, Response
from clawtap_core.transport import Transport


@dataclass(frozen=True, slots=True)
class BatchDecision:
    """A decision ("approve" or "deny") for several prompts; `seen` names risky ones."""

    request_ids: tuple[str, ...]
    decision: str
    reason: str | None = None
    seen: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The outcome of answering one prompt, or the error."""

    request_id: str
    prompt: Prompt | None = None
    error: ClawTapError | None = None


def batch_key(prompt: Prompt) -> tuple[str, str] | None:
    """Return what prompts have in common that can be decided together; None for no others."""
    form = prompt.form
    if form.kind is not Kind.PERMISSION or not form.tool_name or form.truncated:
        return None
    return form.kind.value, form.tool_name


def decide_all(runtime: Transport, batch: BatchDecision) -> Sequence[BatchResult]:
    """Deliver a decision to each prompt; raise BadRequest before the first if they do not fit.

    A prompt that is gone is an error of its own, unless all are.
    """
    results = [_read(runtime, request_id) for request_id in dict.fromkeys(batch.request_ids)]
    prompts = [result.prompt for result in results if result.prompt]
    if not prompts and results and results[0].error:
        raise results[0].error
    keys = {batch_key(prompt) for prompt in prompts}
    if None in keys:
        unfit = next(prompt.request_id for prompt in prompts if batch_key(prompt) is None)
        raise BadRequest(
            f"the prompt {unfit} is not a permission of a named tool that is shown in full;"
            " answer it by itself",
            code=ErrorCode.WRONG_KIND,
        )
    if len(keys) != 1:
        raise BadRequest(
            "prompts that are decided together must be of one tool; decide each tool by itself",
            code=ErrorCode.DIFFERENT_TOOLS,
        )
    return [
        _decide(runtime, result.prompt, batch) if result.prompt else result for result in results
    ]


def _read(runtime: Transport, request_id: str) -> BatchResult:
    try:
        return BatchResult(request_id, runtime.prompt(request_id))
    except NotFound as error:
        return BatchResult(request_id, error=error)


def _decide(runtime: Transport, prompt: Prompt, batch: BatchDecision) -> BatchResult:
    response = Response(prompt.request_id, decision=batch.decision, reason=batch.reason)
    try:
        if batch.decision != "deny" and prompt.request_id not in batch.seen:
            _refuse_risky(prompt, runtime.session(prompt.session_id).cwd)
        answered = runtime.respond(prompt.session_id, response)
    except ClawTapError as error:
        return BatchResult(prompt.request_id, error=error)
    return BatchResult(prompt.request_id, answered)


def _refuse_risky(prompt: Prompt, folder: str) -> None:
    marks = permission_marks(prompt.form.tool_input or {}, folder or None, prompt.form.tool_name)
    if marks:
        reasons = (*(risk.value.replace("_", " ") for risk in marks.risks), *marks.unknown)
        raise BadRequest(
            f"this prompt needs a closer look ({', '.join(reasons)});"
            " answer it on its own, or add its id to `seen`",
            code=ErrorCode.RISK_NOT_SEEN,
        )
