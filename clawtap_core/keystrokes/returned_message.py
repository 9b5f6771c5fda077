"""An interrupted message that its CLI puts back into the composer, in the way of the next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clawtap_core.keystrokes.controls import ShownComposer
from clawtap_core.keystrokes.key_profile import KeyProfile
from clawtap_core.keystrokes.text_field import empty, holds
from clawtap_core.model import Pause, Steps

# A message comes back within so many looks of an idle CLI; so many may see it still at work.
_BACK, _STOPPING, _MOMENT = 4, 20, 0.25


@dataclass(frozen=True, slots=True)
class Stopped:
    """How often the screen was read since the CLI was told to stop, and was idle then."""

    waited: int = 0
    idle: int = 0

    def after(self, *, idle: bool) -> Stopped:
        """Return the counts with one more look."""
        return Stopped(self.waited + 1, self.idle + idle)


def clear_returned_message(
    sent: str, composer: ShownComposer | None, stopped: Stopped, profile: KeyProfile
) -> Steps:
    """Take the message out of the composer; done when it did not come for a moment."""
    if composer and composer.draft and holds(composer.draft, sent):
        return replace(empty(composer.draft, stopped, profile), spans=True)
    if stopped.idle > _BACK or stopped.waited > _STOPPING:
        return Steps(done=True)
    return Steps((Pause(_MOMENT),), progress=stopped, spans=True)
