"""Prove quickly that a form matches its types, so that it can be stored and loaded.

The schemas prove it too, at a thousand times the cost; they decide where this check does not.
"""

from __future__ import annotations

import msgspec

from clawtap_core.model import Effect, Kind, PromptForm

_decoder = msgspec.json.Decoder(PromptForm)


def plain(form: PromptForm) -> bool:
    """Return True if the form survives JSON unchanged, with every value of its type."""
    try:
        again = _decoder.decode(msgspec.json.encode(form))
    except Exception:  # whatever a plugin put in there
        return False
    # A text that equals a member of an enum is not that member.
    members = isinstance(form.kind, Kind) and all(
        isinstance(o.effect, Effect) for o in form.options
    )
    return members and again == form
