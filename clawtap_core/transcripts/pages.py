"""Reading a transcript from its end, in growing windows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clawtap_core.model import AgentEvent, Message, MessagePage, Parsed
from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.reader import Parse, TranscriptFile
from clawtap_core.transcripts.transcript import Transcript

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


@dataclass(frozen=True, slots=True)
class Window:
    """What the end of a transcript says, in pieces as they were read, and their reader."""

    conversation: Conversation
    pieces: Sequence[Parsed]
    file: TranscriptFile

    def events(self) -> Iterator[AgentEvent]:
        """Yield the events of all pieces; messages are in the conversation."""
        return (event for piece in self.pieces for event in piece.events)


class Pages:
    """The messages of a transcript; the largest window read so far serves the next page."""

    def __init__(self, transcript: Transcript, parse: Parse) -> None:
        self._transcript = transcript
        self._parse = parse
        self._held: Conversation | None = None

    def last(self, limit: int) -> tuple[Sequence[Message], bool]:
        """Return the last messages, and whether there are older ones."""
        return self._grown(lambda window: len(window) >= limit).last(limit)

    def before(self, name: str, limit: int) -> tuple[Sequence[Message], bool] | None:
        """Return the messages before one, and whether there are older ones; None if unknown."""
        if self._held and (found := self._held.before(name, limit)):
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
        length = FIRST
        while True:
            self._held = read_end(self._transcript, self._parse, length).conversation
            if not self._held.cut or enough(self._held):
                return self._held
            length *= GROWTH


def read_end(transcript: Transcript, parse: Parse, length: int) -> Window:
    """Return what the last bytes of a transcript say; of a rewritten file, what the whole says."""
    start = 0 if transcript.rewritten else max(transcript.length() - length, 0)
    file = transcript.open(parse, start=start)
    conversation, pieces = Conversation(), []
    for parsed in file.read():
        conversation.remove_from(parsed.removed_from)
        conversation.apply(parsed.messages)
        pieces.append(parsed)
        time.sleep(0)  # lets the other greenlets of `serve` run while a long file is read
    if start:
        conversation.drop_first()
    return Window(conversation, pieces, file)
