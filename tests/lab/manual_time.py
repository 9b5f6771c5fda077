"""A clock that a test moves on by hand, so that it need not wait to see that nothing happens."""

from __future__ import annotations

import threading

from clawtap_core.runtime.timings import Scheduler


class Call:
    def __init__(self, at, callback):
        self.at, self.callback = at, callback

    def cancel(self):
        self.callback = None


class ManualTime:
    """Give `scheduler` to a runtime; `advance` makes the calls whose time has come, in order."""

    def __init__(self):
        self.seconds = 1000.0
        self.calls = []
        # The runtime's threads schedule calls while a test moves the clock.
        self._lock = threading.Lock()
        self.scheduler = Scheduler(lambda: self.seconds, self.call_later, self.advance)

    def advance(self, seconds):
        end = self.seconds + seconds
        while call := self._next_call(end):
            self.seconds = max(self.seconds, call.at)
            if callback := call.callback:
                callback()
        # Another thread may have moved it further meanwhile.
        self.seconds = max(self.seconds, end)

    def _next_call(self, end):
        with self._lock:
            self.calls[:] = [call for call in self.calls if call.callback]
            due = [call for call in self.calls if call.at <= end]
            call = min(due, key=lambda call: call.at, default=None)
            if call:
                self.calls.remove(call)
            return call

    def call_later(self, seconds, callback):
        call = Call(self.seconds + seconds, callback)
        with self._lock:
            self.calls.append(call)
        return call
