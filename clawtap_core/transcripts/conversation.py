"""A conversation as a list of messages, and what changed in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from clawtap_core.model import Message, MessagePage

Change = tuple[Message | None, Message]  # before (None if it is new) and after


class Conversation:
    """Messages by id, oldest first; at most `keep`, and `cut` if older ones exist."""

    def __init__(self, keep: int | None = None) -> None:
        self.cut = False
        self._keep = keep
        self._messages: dict[str, Message] = {}

    def __len__(self) -> int:
        return len(self._messages)

    def apply(self, messages: Iterable[Message]) -> list[Change]:
        """Add or update messages; return the changes, one for each message."""
        changed: dict[str, Message | None] = {}
        for message in messages:
            before = self._messages.get(message.id)
            if before != message:
                changed.setdefault(message.id, before)
                self._messages[message.id] = message
        changes = [(before, self._messages[name]) for name, before in changed.items()]
        over = len(self._messages) - self._keep if self._keep else 0
        for name in list(islice(self._messages, max(over, 0))):
            del self._messages[name]
            self.cut = True
        return changes

    def remove_from(self, names: Iterable[str]) -> list[Message]:
        """Remove each of these messages and all after it; return what was removed."""
        removed: list[Message] = []
        for name in names:
            # One that is not held is before all that are.
            order = list(self._messages)
            after = order[order.index(name) :] if name in order else order
            removed += [self._messages.pop(each) for each in after]
        return removed

    def without(self, messages: Iterable[Message]) -> list[Message]:
        """Return our messages that are not among these, except those older than all of these."""
        kept = {message.id for message in messages}
        first = next((at for at, name in enumerate(self._messages) if name in kept), 0)
        return [message for message in self.messages()[first:] if message.id not in kept]

    def replace_all(self, messages: Iterable[Message]) -> list[Change]:
        """Replace all messages; return the changes."""
        known, self._messages = self._messages, {}
        self.cut = False
        changes = [(known.get(after.id), after) for _, after in self.apply(messages)]
        kept = self._messages
        return [(before, now) for before, now in changes if before != now and now.id in kept]

    def merge(self, messages: Iterable[Message]) -> list[Change]:
        """Insert a companion's messages by their time; return the changes."""
        changes = self.apply(messages)
        if any(before is None for before, _ in changes):
            self._messages = {message.id: message for message in _in_time(self.messages())}
        return changes

    def messages(self) -> tuple[Message, ...]:
        """Return all messages."""
        return tuple(self._messages.values())

    def drop_first(self) -> None:
        """Drop the first message, which may be cut, because reading began in the middle."""
        for name in islice(iter(tuple(self._messages)), 1):
            del self._messages[name]
        self.cut = True

    def last(self, limit: int) -> tuple[Sequence[Message], bool]:
        """Return the last messages, and whether there are older ones."""
        messages = self.messages()
        return messages[-limit:], self.cut or len(messages) > limit

    def before(self, name: str, limit: int) -> tuple[Sequence[Message], bool] | None:
        """Return the messages before one, and whether there are older ones; None if unknown."""
        names = list(self._messages)
        if name not in self._messages:
            return None
        at = names.index(name)
        if at < limit and self.cut:
            return None
        return self.messages()[max(at - limit, 0) : at], at > limit or self.cut

    def around(self, name: str, before: int, limit: int) -> MessagePage | None:
        """Return a message between at most `before` earlier ones and later ones.

        With `before` 0 the message itself is left out. None if it is unknown, or if earlier
        messages are missing.
        """
        names = list(self._messages)
        if name not in self._messages:
            return None
        at = names.index(name)
        if before > at and self.cut:
            return None
        start = max(at - before, 0) if before else at + 1
        shown = self.messages()[start : start + limit]
        return MessagePage(shown, start > 0 or self.cut, newer=start + limit < len(names))

    def after(self, name: str, limit: int) -> Sequence[Message] | None:
        """Return the messages after one; None if it is unknown."""
        if name not in self._messages:
            return None
        at = list(self._messages).index(name)
        return self.messages()[at + 1 : at + 1 + limit]


def _in_time(messages: Sequence[Message]) -> list[Message]:
    """Sort by time; a message without one stays behind its predecessor."""
    keyed, latest = [], 0.0
    for message in messages:
        latest = message.at.timestamp() if message.at else latest
        keyed.append((latest, message))
    return [message for _, message in sorted(keyed, key=lambda pair: pair[0])]
