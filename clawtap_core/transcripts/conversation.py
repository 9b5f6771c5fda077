"""A conversation as its messages: what is new, what changed, in the order of the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from clawtap_core.model import Message

Change = tuple[Message | None, Message]
"""A message before (None: it is new) and after."""


class Conversation:
    """Messages by id, oldest first. At most `keep` of them; `cut`: there are older ones."""

    def __init__(self, keep: int | None = None) -> None:
        self.cut = False
        self._keep = keep
        self._messages: dict[str, Message] = {}

    def __len__(self) -> int:
        return len(self._messages)

    def apply(self, messages: Iterable[Message]) -> list[Change]:
        """Take messages in; what that changed, each message once."""
        changed: dict[str, Message | None] = {}
        for message in messages:
            before = self._messages.get(message.id)
            if before != message:
                changed.setdefault(message.id, before)
                self._messages[message.id] = message
        changes = [(before, self._messages[name]) for name, before in changed.items()]
        self._trim()
        return changes

    def remove_from(self, names: Iterable[str]) -> None:
        """Remove each of these messages with all after it."""
        for name in names:
            # One that is not held stands before all that are.
            order = list(self._messages)
            for removed in order[order.index(name) :] if name in order else order:
                del self._messages[removed]

    def begin_anew(self, messages: Iterable[Message]) -> list[Change]:
        """Hold these messages and no others; what that changed."""
        known, self._messages = self._messages, {}
        self.cut = False
        changes = [(known.get(after.id), after) for _, after in self.apply(messages)]
        kept = self._messages
        return [(before, now) for before, now in changes if before != now and now.id in kept]

    def merge(self, messages: Iterable[Message]) -> list[Change]:
        """Put messages of a companion among the others, by their time."""
        changes = self.apply(messages)
        if any(before is None for before, _ in changes):
            self._messages = {message.id: message for message in _in_time(self.messages())}
        return changes

    def messages(self) -> tuple[Message, ...]:
        """All of them."""
        return tuple(self._messages.values())

    def drop_first(self) -> None:
        """Leave the first message: a reading that began in the middle may have cut it."""
        for name in islice(iter(tuple(self._messages)), 1):
            del self._messages[name]
        self.cut = True

    def last(self, limit: int) -> tuple[Sequence[Message], bool]:
        """The last messages, and whether there are older ones."""
        found = self.messages()
        return found[-limit:], self.cut or len(found) > limit

    def before(self, name: str, limit: int) -> tuple[Sequence[Message], bool] | None:
        """Those before one, and whether there are older ones; None where that is not known here."""
        names = list(self._messages)
        if name not in self._messages:
            return None
        at = names.index(name)
        if at < limit and self.cut:
            return None
        return self.messages()[max(at - limit, 0) : at], at > limit or self.cut

    def after(self, name: str, limit: int) -> Sequence[Message] | None:
        """Those after one; None where it is not known here."""
        if name not in self._messages:
            return None
        at = list(self._messages).index(name)
        return self.messages()[at + 1 : at + 1 + limit]

    def _trim(self) -> None:
        over = len(self._messages) - self._keep if self._keep else 0
        for name in list(islice(self._messages, max(over, 0))):
            del self._messages[name]
            self.cut = True


def _in_time(messages: Sequence[Message]) -> list[Message]:
    """In order of time; a message without one stays behind the one that it followed."""
    keyed, latest = [], 0.0
    for message in messages:
        latest = message.at.timestamp() if message.at else latest
        keyed.append((latest, message))
    return [message for _, message in sorted(keyed, key=lambda each: each[0])]
