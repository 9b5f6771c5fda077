"""Reading a transcript from its end, in growing windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clawtap_core.model import Message, MessagePage, Parsed
from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.database import DatabaseConversation
from clawtap_core.transcripts.reader import AppendedFile, EarlierFile, Parse, RewrittenFile

FIRST = 256 << 10
GROWTH = 4


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """A place in a conversation: before, after or around a message id, or at the end."""

    before: str | None = None
    after: str | None = None
    around: str | None = None

    @property
    def name(self) -> str | None:
        """Return the message's id."""
        return self.before or self.after or self.around


class Pages:
    """The messages of one file and the `earlier` ones that it continues.

    The largest window read so far is kept for the next page.
    """

    def __init__(
        self,
        path: Path,
        parse: Parse,
        *,
        rewritten: bool,
        rows: DatabaseConversation | None = None,
        earlier: Sequence[EarlierFile] = (),
    ) -> None:
        self._path = path
        self._parse = parse
        self._rewritten = rewritten
        self._rows = rows
        self._earlier = earlier
        self._window: Conversation | None = None

    def last(self, limit: int) -> tuple[Sequence[Message], bool]:
        """Return the last messages, and whether there are older ones."""
        return self._grown(lambda window: len(window) >= limit).last(limit)

    def before(self, name: str, limit: int) -> tuple[Sequence[Message], bool] | None:
        """Return the messages before one, and whether there are older ones; None if unknown."""
        if self._window and (found := self._window.before(name, limit)):
            return found
        window = self._grown(lambda window: window.before(name, limit) is not None)
        return window.before(name, limit)

    def at(self, place: MessagePlace, limit: int) -> MessagePage | None:
        """Return the messages at a place; None if its message is unknown."""
        if place.before is not None:
            piece = self.before(place.before, limit)
            return MessagePage(tuple(piece[0]), piece[1], newer=True) if piece else None
        if place.name is None:
            messages, more = self.last(limit)
            return MessagePage(tuple(messages), more)
        name, before = place.name, 0 if place.after is not None else limit // 2
        window = self._grown(lambda window: window.around(name, before, limit) is not None)
        return window.around(name, before, limit)

    def _grown(self, enough: Callable[[Conversation], bool]) -> Conversation:
        try:
            size = self._path.stat().st_size
        except OSError:
            size = 0
        size += sum(each.end for each in self._earlier)
        reach = FIRST
        while True:
            # A rewritten file can only be parsed whole.
            start = 0 if self._rewritten else max(size - reach, 0)
            self._window, _, _ = read_window(
                self._path,
                self._parse,
                rewritten=self._rewritten,
                start=start,
                rows=self._rows,
                earlier=self._earlier,
            )
            if start == 0 or enough(self._window):
                return self._window
            reach *= GROWTH


def read_window(
    path: Path,
    parse: Parse,
    *,
    rewritten: bool,
    start: int = 0,
    rows: DatabaseConversation | None = None,
    earlier: Sequence[EarlierFile] = (),
) -> tuple[Conversation, AppendedFile | RewrittenFile, list[Parsed]]:
    """Return a file's messages from an offset on, the reader that continues, and the pieces.

    The offset counts the bytes of `earlier` files, too.
    """
    file: AppendedFile | RewrittenFile = (
        RewrittenFile(path, parse, rows=rows)
        if rewritten
        else AppendedFile(path, parse, start=start, earlier=earlier)
    )
    conversation, pieces = Conversation(), []
    for parsed in file.read():
        conversation.remove_from(parsed.removed_from)
        conversation.apply(parsed.messages)
        pieces.append(parsed)
        time.sleep(0)  # lets the other greenlets of `serve` run while a long file is read
    if start:
        conversation.drop_first()
    return conversation, file, pieces
