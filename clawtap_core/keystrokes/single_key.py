"""Send one key at a time: the next is pressed when the last one shows.

A screen may be read between a key and its effect. Keys that move or tick would then be pressed
twice, and Enter would meet another row than the one that was read; so a key that does not show is
not repeated. Where a CLI is known to lose keys it is (`again`), late; since the first may still
arrive, the deciding key then waits until nothing has changed for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from clawtap_core.keystrokes.key_profile import pause
from clawtap_core.model import Paste, Pause, Press, Step, Steps, Type
from clawtap_core.screens import ParsedPrompt

# How many looks, a moment apart, a key may take to show.
_PATIENCE, _MOMENT = 25, 0.1
# The same for a key that is pressed again if it does not show.
_LOST_AFTER, _LOST_MOMENT = 2, 0.5
# After such a key, which may arrive late: how long nothing changes before the key that decides.
_STILL_FOR, _STILL_MOMENT = 3, 0.4


@dataclass(frozen=True)
class KeyProgress:
    """The progress of an answer's keys; `then` is the progress of the answer itself.

    `before`: the list before `keys`, which should change it; None when nothing is awaited.
    `waited`: looks since; `times`: how often the keys were repeated; `count`: how often keys were
    pressed in all. `texts` were typed so far. `doubt`: something was sent twice and may arrive
    twice. `still` is the list at the last look, `stood` for how many looks.
    """

    then: Any = None
    before: Hashable = None
    keys: tuple[Step, ...] = ()
    waited: int = 0
    times: int = 0
    count: int = 0
    texts: tuple[str, ...] = ()
    doubt: bool = False
    still: Hashable = None
    stood: int = 0
    spans: bool = False


def send_one_key(
    parsed: ParsedPrompt,
    progress: Any,
    following: Callable[[Any], Steps | None],
    *,
    again: int = 0,
    first: float = 0.0,
    spans: bool = False,
) -> Steps | None:
    """Return the next steps once the keys before them show, or None if they never do.

    `following` receives its own progress. `again`: how often to repeat keys that do not show.
    `first`: seconds before the first key.
    """
    before_first = 0.0 if isinstance(progress, KeyProgress) else first
    if not isinstance(progress, KeyProgress):
        progress = KeyProgress(progress, spans=spans)
    if progress.before is not None and parsed.visible_state == progress.before:
        return _wait(progress, again)
    steps = following(progress.then)
    if steps is None:
        return None
    if steps.deciding:
        stood = progress.stood + 1 if parsed.visible_state == progress.still else 0
        if progress.doubt and stood < _STILL_FOR:
            # A repeated key may still arrive.
            waits = replace(progress, before=None, still=parsed.visible_state, stood=stood)
            return Steps((Pause(_STILL_MOMENT),), progress=waits, spans=progress.spans)
        return replace(steps, spans=steps.spans or progress.spans)
    if steps.done:
        return steps
    return _await_effect(parsed, steps, progress, before_first)


def _wait(progress: KeyProgress, again: int) -> Steps | None:
    """Wait for keys that do not show yet, or repeat them."""
    looks, moment = (_LOST_AFTER, _LOST_MOMENT) if again else (_PATIENCE, _MOMENT)
    if progress.waited < looks:
        waits = replace(progress, waited=progress.waited + 1)
        return Steps((Pause(moment),), progress=waits, spans=progress.spans)
    if progress.times >= again:
        return None
    pressed = replace(progress, waited=0, times=progress.times + 1, doubt=True, stood=0)
    return Steps(progress.keys, progress=pressed, spans=progress.spans)


def _await_effect(parsed: ParsedPrompt, steps: Steps, progress: KeyProgress, first: float) -> Steps:
    """Return steps that decide nothing, recording the list that they should change."""
    spans = progress.spans or steps.spans
    after = replace(progress, then=steps.progress, before=None, waited=0, times=0, spans=spans)
    if typed := tuple(step.text for step in steps.steps if isinstance(step, Type | Paste)):
        # The code that fills a field also reads back its text.
        twice = any(text in progress.texts for text in typed)
        after = replace(after, texts=progress.texts + typed, doubt=progress.doubt or twice, stood=0)
    elif any(isinstance(step, Press) for step in steps.steps):
        after = replace(
            after, before=parsed.visible_state, keys=steps.steps, count=progress.count + 1
        )
    else:
        return replace(steps, progress=after, spans=spans)
    return replace(steps, steps=(*pause(first), *steps.steps), progress=after, spans=spans)
