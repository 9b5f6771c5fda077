"""Values of requests that are not in the model."""

from __future__ import annotations

from dataclasses import dataclass

from clawtap_core.model import PromptForm, Role


@dataclass(frozen=True, slots=True)
class Adoption:
    """Watch a pane that a user started."""

    pane: str
    adapter: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A program's question, its asker, and its timeout in seconds (None: the usual time).

    `default` answers it after that time.
    """

    form: PromptForm
    asker: str | None = None
    seconds: float | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class More:
    """More time for a prompt."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MessageToSend:
    """A message to a session, and the ids of its attachments."""

    message: str
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileQuery:
    """The name of the file in a request's body."""

    name: str


@dataclass(frozen=True, slots=True)
class ToRestore:
    """Lost sessions to restore, all of them by default; with `dry_run` nothing is started."""

    sessions: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class MachinesQuery:
    """Whether to ask each machine how long it takes to answer."""

    measure: bool = False


@dataclass(frozen=True, slots=True)
class KeyPad:
    """Keys to press, or text to type, on the screen of one revision."""

    screen_rev: int
    keys: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class DeviceToAdd:
    """The name and role of a device that gets its own token."""

    name: str
    role: Role = Role.OWNER


@dataclass(frozen=True, slots=True)
class Invite:
    """The role of an invited device, its name, and for how many seconds the code is valid."""

    role: Role = Role.OWNER
    name: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Login:
    """A token or a one-time pairing code, and a name for the device."""

    token: str | None = None
    code: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PageQuery:
    """The requested piece of the journal."""

    after: int = 0
    limit: int = 200
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class LatestEventsQuery:
    """The requested latest events; `cursor` comes from the page before."""

    types: str = ""
    session_id: str | None = None
    cursor: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class MessagesQuery:
    """The requested messages: the last ones, or those before or after one."""

    before: str | None = None
    after: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class StoredQuery(MessagesQuery):
    """The requested messages of a stored conversation; also those around one."""

    around: str | None = None


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The text to search for; `cursor` comes from the page before."""

    q: str
    cursor: str | None = None
    limit: int = 20


@dataclass(frozen=True, slots=True)
class SessionChange:
    """A new title, or whether a session is archived."""

    title: str | None = None
    archived: bool | None = None


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """The requested stored conversations."""

    adapter: str | None = None
    cwd: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class HistoryPageQuery(HistoryQuery):
    """The requested page of them."""

    cursor: str | None = None
