"""The ways in which a CLI takes answers, and what a live check tries in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from clawtap_core.host import Adapter
from clawtap_core.model import LiveCheck, LiveStep
from clawtap_core.runtime.channel import PROTOCOL


class Way(str, Enum):
    """How answers reach a CLI."""

    KEYS = "with keys"
    PROTOCOL = "over its protocol"
    SERVER = "through its server"


STEPS: Mapping[Way, Sequence[LiveStep]] = {
    Way.PROTOCOL: (LiveStep.PERMISSION_ALLOWED, LiveStep.PERMISSION_DENIED, LiveStep.INTERRUPT),
    Way.SERVER: (LiveStep.PERMISSION_ALLOWED, LiveStep.PERMISSION_DENIED),
}


def way_without_keys(adapter: Adapter, check: LiveCheck) -> Way:
    """Return how the CLI takes answers without a key; KEYS if it does not."""
    if PROTOCOL in adapter.info.capabilities.channels:
        return Way.PROTOCOL
    return Way.SERVER if check.serving_args else Way.KEYS
