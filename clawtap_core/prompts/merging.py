"""Merge what the screen shows of a prompt with what hooks and transcripts report."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import PromptForm
from clawtap_core.prompts.identity import squeeze


def may_be_one(seen: PromptForm, reported: PromptForm) -> bool:
    """Return False if kind or tool call tell two prompts apart."""
    calls = {seen.tool_call_id, reported.tool_call_id} - {None}
    return seen.kind is reported.kind and len(calls) < 2


def shows_question_of(seen: PromptForm, reported: PromptForm) -> bool:
    """Return True if the question on the screen is among the reported ones."""
    shown = squeeze(seen.questions[0].question) if seen.questions else ""
    return bool(shown) and any(
        squeeze(question.question) == shown for question in reported.questions
    )


def merge_known(seen: PromptForm, reported: PromptForm) -> PromptForm:
    """Return the screen's prompt, completed with the reported tool call."""
    complete = seen.truncated and bool(reported.description)
    several = len(reported.questions) > 1
    return replace(
        seen,
        tool_name=reported.tool_name or seen.tool_name,
        tool_input=reported.tool_input or seen.tool_input,
        rewrapped=seen.rewrapped and not reported.tool_input,
        tool_call_id=seen.tool_call_id or reported.tool_call_id,
        # The subject stays the screen's, so that the next screen is recognised as the same prompt.
        subject=seen.subject or f"{seen.title}\n{seen.description}",
        description=reported.description if complete else seen.description,
        truncated=seen.truncated and not complete,
        origin=seen.origin or reported.origin,
        # The screen shows best how a single question is answered.
        questions=reported.questions if several else seen.questions,
        position=None if several else seen.position,
    )
