"""A plan that was proposed: the app server only tells it, the client asks what becomes of it."""

from __future__ import annotations

from clawtap_codex.protocol.requests import Choice, options_of
from clawtap_codex.screen.plans import PLAN_TITLE
from clawtap_core import Effect, Kind, PromptForm

IMPLEMENT = "Implement the plan."
"""What the TUI says for the user who approves."""
_CHOICES = (
    Choice("Yes, implement this plan", Effect.ALLOW_ONCE, {}),
    Choice("No, stay in Plan mode", Effect.DENY, {}),
)
OPTIONS = options_of(_CHOICES)
APPROVED = OPTIONS[0].value


def plan_form(plan: str) -> PromptForm:
    """The question that the TUI asks."""
    return PromptForm(
        kind=Kind.PLAN, title=PLAN_TITLE, description=plan.strip("\n"), options=OPTIONS
    )
