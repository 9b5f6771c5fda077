"""A hook that waits for its answer while its CLI shows its own prompt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from clawtap_core.host import Adapter
from clawtap_core.model import PromptForm, Response
from clawtap_core.runtime.timings import DEFAULT_TIMINGS


class PendingHook:
    """One call of a hook that has not returned. `gone` returns True once the CLI has ended it."""

    via = "hook"
    # Whether the CLI reports whose answer it took when the terminal answers at the same time.
    sure = False
    # Whether the CLI has said that it took the answer.
    confirmed = False
    # Whether the reason of a refusal goes with it, though the terminal has no field for one.
    takes_reason = False

    def __init__(self, gone: Callable[[], bool]) -> None:
        self._gone = gone
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._answer: Mapping[str, Any] | None = None

    @property
    def waits(self) -> bool:
        """Return True if an answer would still reach the CLI."""
        return not self._over.is_set() and not self._gone()

    def carries(self, adapter: Adapter, form: PromptForm, response: Response) -> Any:
        """Return the hook's reply for this answer, or None if a hook cannot give it."""
        return adapter.answer_hook(form, response)

    def give(self, answer: Any) -> bool:
        """Let the hook return this reply; return False if it no longer waits."""
        with self._lock:
            if not self.waits:
                return False
            self._answer = answer
            self._over.set()
            return True

    def release(self) -> None:
        """Let the hook return without a decision."""
        with self._lock:
            self._over.set()

    def wait(self, seconds: float | None) -> Mapping[str, Any] | None:
        """Return the hook's reply; None if it was released or ended, or after its timeout."""
        until = None if seconds is None else time.monotonic() + seconds
        while not self._over.wait(DEFAULT_TIMINGS.hook_check):
            if self._gone() or (until is not None and time.monotonic() >= until):
                self.release()
        return self._answer
