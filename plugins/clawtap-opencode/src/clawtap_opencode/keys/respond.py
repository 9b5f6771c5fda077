"""Answer a prompt, up to the pages that follow it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from clawtap_core import Effect, Pause, PromptForm, Response, Screen, Steps, hookimpl
from clawtap_core.keystrokes import (
    Pages,
    answer_question,
    answers_all,
    choose,
    needs_other_row,
    page_by_page,
    press,
    send_one_key,
    write,
)
from clawtap_core.keystrokes.text_field import holds
from clawtap_core.screens import ParsedPrompt
from clawtap_opencode.keys.profile import KEY_PROFILE
from clawtap_opencode.screen.composer import find_composer
from clawtap_opencode.screen.permissions import PermissionPrompt, RejectionPrompt
from clawtap_opencode.screen.prompt import parse_prompt
from clawtap_opencode.screen.questions import DISMISS, ReviewPrompt

_LOOKS, _MOMENT = 10, 0.1


@dataclass(frozen=True)
class _Rejected:
    """A permission was rejected; a subagent's asks for the reason next.

    `waited`: looks since the last key that decides. `sent`: the reason was; `then`: how far it is.
    """

    waited: int = 0
    sent: bool = False
    then: Any = None


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer for the screen as it is now."""
    parsed = parse_prompt(screen)
    if isinstance(progress, _Rejected):
        return _after_rejection(response, parsed, progress, screen)
    pages = Pages(
        keys=lambda parsed, progress: _next_keys(prompt, response, parsed, progress),
        # In a low pane the tabs are out of sight.
        follows=lambda parsed: parsed.form.position is not None or len(prompt.questions) > 1,
        review=_submit_review,
        answers_all=answers_all(prompt, response),
        back="Left",
    )
    steps = page_by_page(prompt, parsed, progress, pages)
    option = prompt.option(response.selected_option or "")
    rejects = isinstance(parsed, PermissionPrompt) and option and option.effect is Effect.DENY
    if steps and steps.done and rejects:
        return replace(steps, progress=_Rejected(), done=False, spans=True)
    return steps


def _after_rejection(
    response: Response, parsed: ParsedPrompt | None, progress: _Rejected, screen: Screen
) -> Steps | None:
    """Give the reason where the CLI asks for it; otherwise the refusal is complete."""
    if isinstance(parsed, RejectionPrompt) and not progress.sent:
        reason = response.reason or ""
        steps = send_one_key(
            parsed, progress.then, lambda then: write(parsed, reason, then, KEY_PROFILE)
        )
        if steps is None:
            return None
        given = steps.done and bool(reason)
        after = _Rejected(sent=steps.done, then=steps.progress)
        return replace(steps, progress=after, done=False, spans=True, reason_given=given)
    # The composer never stands there while the CLI asks, and on a still screen a look takes long.
    over = find_composer(screen) is not None
    if over or progress.waited >= _LOOKS or (progress.sent and parsed is None):
        return Steps(done=True)
    waits = replace(progress, waited=progress.waited + 1)
    return Steps((Pause(_MOMENT),), progress=waits, spans=True)


def _next_keys(
    prompt: PromptForm, response: Response, parsed: ParsedPrompt, progress: Any
) -> Steps | None:
    if isinstance(parsed, RejectionPrompt):
        text = response.text_value or response.reason or ""
        return write(parsed, text, progress, KEY_PROFILE)
    if isinstance(parsed, ReviewPrompt):
        leaves = response.decision == "deny" or DISMISS in response.labels()
        return KEY_PROFILE.decide("Escape" if leaves else "Enter")
    if response.decision == "deny":
        return _refuse(parsed, progress)
    if needs_other_row(prompt, response, parsed):
        # The arrows move in the text; Escape closes the field.
        return press("Escape", progress)
    if prompt.questions:
        return answer_question(prompt, response, parsed, progress, KEY_PROFILE, _settle_field)
    option = prompt.option(response.selected_option or "")
    return choose(parsed, option.label, KEY_PROFILE) if option else None


def _refuse(parsed: ParsedPrompt, progress: Any) -> Steps | None:
    if parsed.field and parsed.field.focused:
        # Here Escape only closes the field.
        return press("Escape", progress)
    return KEY_PROFILE.decide("Escape") if parsed.escape_denies else None


def _settle_field(parsed: ParsedPrompt, own: str, progress: Any) -> Steps | None:
    """Close the text field with the user's words saved, or without them and unticked."""
    field = parsed.field
    if field is None:
        return None
    if field.focused:
        saved = own and holds(field.text or "", own)
        return press("Enter", progress) if saved else None
    if field.row and field.row.checked and not own and field.key:
        # Its digit takes the tick away from what somebody wrote at the desk.
        return press(field.key, progress)
    return None


def _submit_review(parsed: ParsedPrompt) -> Steps | None:
    # A review with gaps is left to the user.
    complete = isinstance(parsed, ReviewPrompt) and parsed.complete
    return KEY_PROFILE.decide() if complete else None
