"""A clock that a test moves on by hand, so that it need not wait to see that nothing happens."""

from __future__ import annotations

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
        self.scheduler = Scheduler(lambda: self.seconds, self.call_later, self.advance)

    def advance(self, seconds):
        end = self.seconds + seconds
        while due := [call for call in self.calls if call.callback and call.at <= end]:
            call = min(due, key=lambda call: call.at)
            self.seconds, callback = max(self.seconds, call.at), call.callback
            call.cancel()
            callback()
        self.calls = [call for call in self.calls if call.callback]
        self.seconds = end

    def call_later(self, seconds, callback):
        self.calls.append(Call(self.seconds + seconds, callback))
        return self.calls[-1]
