"""One prompt from what the screen shows and what a hook, a transcript or a daemon reports."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import PromptForm
from clawtap_core.prompts.identity import squeeze


def may_be_one(seen: PromptForm, known: PromptForm) -> bool:
    """Return False where kind or tool call already tell two prompts apart."""
    calls = {seen.tool_call_id, known.tool_call_id} - {None}
    return seen.kind is known.kind and len(calls) < 2


def shows_question_of(seen: PromptForm, known: PromptForm) -> bool:
    """Return True if the question on the screen is one of those that are known."""
    shown = squeeze(seen.questions[0].question) if seen.questions else ""
    return bool(shown) and any(squeeze(each.question) == shown for each in known.questions)


def merge_known(seen: PromptForm, known: PromptForm) -> PromptForm:
    """Return the prompt on the screen with the call that is known of it.

    What the screen offers stays on offer, and the subject stays that of the screen, so that the
    next screen is recognised as the same prompt.
    """
    complete = seen.truncated and bool(known.description)
    several = len(known.questions) > 1
    return replace(
        seen,
        tool_name=known.tool_name or seen.tool_name,
        tool_input=known.tool_input or seen.tool_input,
        tool_call_id=seen.tool_call_id or known.tool_call_id,
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        description=known.description if complete else seen.description,
        truncated=seen.truncated and not complete,
        origin=seen.origin or known.origin,
        # The screen knows better how a single question is answered.
        questions=known.questions if several else seen.questions,
        position=None if several else seen.position,
    )
