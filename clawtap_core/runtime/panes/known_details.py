"""Keeping what is known of a prompt when a later screen shows less of it."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import PromptForm


def with_known(seen: PromptForm, remembered: PromptForm, *, resized: bool = True) -> PromptForm:
    """Return the prompt on the screen with the details that an earlier screen showed.

    A list that was read whole stays whole when it scrolls; a text that was whole, or longer,
    stays when a smaller pane cuts it. What is cut in a pane of the same size, and cannot be folded,
    only looked whole, before its CLI had measured it.
    """
    if seen.truncated and not (seen.expandable or remembered.truncated or resized):
        remembered = replace(remembered, truncated=True, tool_input=None)
    if seen.more_options and not remembered.more_options:
        seen = replace(
            seen, options=remembered.options, questions=remembered.questions, more_options=False
        )
    if seen.truncated and (
        not remembered.truncated or len(remembered.description) > len(seen.description)
    ):
        seen = replace(
            seen,
            title=seen.title or remembered.title,
            description=remembered.description,
            truncated=remembered.truncated,
            tool_input=remembered.tool_input or seen.tool_input,
            rewrapped=seen.rewrapped or remembered.rewrapped,
        )
    return seen
