"""What requests ask for that is no word of the model."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import PromptForm


@dataclass(frozen=True, slots=True)
class Adoption:
    """Watch a pane that a user started."""

    pane: str
    adapter: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """What a program asks, under which name, and for how many seconds (None: the usual time)."""

    form: PromptForm
    asker: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class More:
    """More time for a prompt."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message to a session, and the ids of the files that go with it."""

    message: str
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileQuery:
    """What the file is called that is sent as a request's body."""

    name: str


@dataclass(frozen=True, slots=True)
class KeyPad:
    """Keys to press, or text to type, on the screen of one revision."""

    screen_rev: int
    keys: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Login:
    """A token or a one-time pairing code, and the name that the device gets."""

    token: str | None = None
    code: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Which piece of the journal is wanted."""

    after: int = 0
    limit: int = 200
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class MessagesQuery:
    """Which messages of a conversation are wanted: the last, those before or after one."""

    before: str | None = None
    after: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """Which stored conversations are wanted."""

    adapter: str | None = None
    cwd: str | None = None
    limit: int = 50
