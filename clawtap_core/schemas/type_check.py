"""A quick proof that a form is what its types say: then it can be kept, and read again.

The schemas prove it too, in a thousand times the work; they decide where this one does not.
"""

from __future__ import annotations

import msgspec

from clawtap_core.model import Effect, Kind, PromptForm

_decoder = msgspec.json.Decoder(PromptForm)


def plain(form: PromptForm) -> bool:
    """Whether the form is the same after a way through JSON, with every value of its type."""
    try:
        again = _decoder.decode(msgspec.json.encode(form))
    except Exception:  # whatever a plugin put in there
        return False
    # A text that equals a member of an enum is none.
    members = isinstance(form.kind, Kind) and all(
        isinstance(o.effect, Effect) for o in form.options
    )
    return members and again == form
