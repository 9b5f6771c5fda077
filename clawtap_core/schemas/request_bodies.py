"""Bodies and queries of requests, each read as a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, pre_load, validate, validates_schema

from clawtap_core.model import LaunchRequest, Role, is_key
from clawtap_core.model.session import PANE_COLS, PANE_ROWS
from clawtap_core.schemas.base import BodySchema
from clawtap_core.schemas.error_details import MISSING
from clawtap_core.schemas.fields import (
    CURSOR,
    ID,
    NAME,
    Flag,
    Line,
    MessageText,
    Text,
    TypedText,
    checks_of,
    not_blank,
)
from clawtap_core.schemas.requests import (
    Adoption,
    DeviceToAdd,
    FileQuery,
    HistoryPageQuery,
    HistoryQuery,
    Invite,
    KeyPad,
    LatestEventsQuery,
    Login,
    MachinesQuery,
    MessagesQuery,
    MessageToSend,
    PageQuery,
    SearchQuery,
    SessionChange,
    StoredQuery,
    ToRestore,
)

# What JavaScript counts exactly.
_SAFE_INTEGER = 2**53 - 1
LONGEST_SEARCH = 400
# Seconds: a week.
LONGEST_INVITATION = 7 * 24 * 3600
# How many files go with one message.
MOST_FILES = 10


class StartBodySchema(BodySchema):
    """Start a CLI, or adopt a pane: a LaunchRequest or an Adoption."""

    makes = LaunchRequest
    adopt = Line(validate=validate.Regexp(r"%\d{1,9}\Z", error="Not a pane of tmux, like %12."))
    adapter = Line(validate=NAME)
    cwd = Line(validate=checks_of(validate.Length(max=4096), not_blank))
    message = MessageText()
    model = Line(validate=NAME)
    permission_mode = Line(validate=NAME)
    effort = Line(validate=NAME)
    channel = Line(validate=NAME)
    resume = Line(validate=NAME)
    args = fields.List(TypedText(), validate=validate.Length(max=100))
    cols = fields.Integer(strict=True, validate=validate.Range(*PANE_COLS))
    rows = fields.Integer(strict=True, validate=validate.Range(*PANE_ROWS))

    @validates_schema
    def _complete(self, data: Mapping[str, Any], **_: Any) -> None:
        if "adopt" in data:
            wrong = data.keys() - {"adopt", "adapter"}
            text = "Not with adopt: the program of the pane runs already."
            errors = {str(self.fields[name].data_key): [text] for name in sorted(wrong)}
        else:
            errors = {name: [MISSING] for name in ("adapter", "cwd") if name not in data}
        if errors:
            raise ValidationError(errors)

    def build(self, data: dict[str, Any]) -> LaunchRequest | Adoption:
        """Build the launch request or the adoption."""
        if "adopt" in data:
            return Adoption(data["adopt"], data.get("adapter"))
        return LaunchRequest(**data)


class TextBodySchema(BodySchema):
    """A body with one text, read as that text."""

    makes: ClassVar[type] = str

    def build(self, data: dict[str, Any]) -> Any:
        """Return the text."""
        (text,) = data.values()
        return text


class SendBodySchema(BodySchema):
    """A message to a session: a text, attachments sent before, or both."""

    makes = MessageToSend
    message = MessageText()
    attachments = fields.List(
        Text(validate=ID),
        validate=validate.Length(max=MOST_FILES, error="Not more than {max} in a message."),
    )

    @validates_schema
    def _something(self, data: Mapping[str, Any], **_: Any) -> None:
        if data.get("attachments"):
            return
        if "message" not in data:
            raise ValidationError(MISSING, "message")
        if not data["message"].strip():
            raise ValidationError("Must not be blank.", "message")

    def build(self, data: dict[str, Any]) -> MessageToSend:
        """Build the message."""
        return MessageToSend(data.get("message", ""), data.get("attachments", ()))


class FileQuerySchema(BodySchema):
    """The query with a file's name; the request's body holds its bytes."""

    makes = FileQuery
    name = Line(required=True, validate=NAME)


class MessageBodySchema(TextBodySchema):
    """A new text for a queued message."""

    message = MessageText(required=True, validate=not_blank)
    attachments = fields.List(
        Text(), validate=validate.Length(max=0, error="Attachments are not taken.")
    )

    def build(self, data: dict[str, Any]) -> str:
        """Return the message."""
        return str(data["message"])


class ModeBodySchema(TextBodySchema):
    """The permission mode to switch to, as `mode` or `permissionMode`."""

    mode = Line(required=True, validate=NAME)

    @pre_load
    def _either_name(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and "permissionMode" in data and "mode" not in data:
            return {
                "mode" if key == "permissionMode" else key: value for key, value in data.items()
            }
        return data


class ModelBodySchema(TextBodySchema):
    """The model to switch to."""

    model = Line(required=True, validate=NAME)


class ResumeBodySchema(TextBodySchema):
    """The message that resumes a session when its usage limit has ended."""

    message = MessageText(required=True, validate=not_blank)


class RenameBodySchema(TextBodySchema):
    """A new title for a session."""

    title = Line(required=True, validate=NAME)


class SessionChangeSchema(BodySchema):
    """A new title for a session, or whether it is archived, or both."""

    makes = SessionChange
    sentence = "title or archived is required"
    needs = frozenset({"title"})
    title = Line(validate=NAME)
    archived = Flag()

    @validates_schema
    def _something(self, data: Mapping[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError(MISSING, "title")


class RestoreBodySchema(BodySchema):
    """Which lost sessions to restore, and whether only to say which can be."""

    makes = ToRestore
    sessions = fields.List(Line(), validate=validate.Length(max=1000))
    dry_run = Flag()


class DeviceBodySchema(BodySchema):
    """The name and role of a device that gets its own token."""

    makes = DeviceToAdd
    name = Line(required=True, validate=NAME)
    role = fields.Enum(Role, by_value=Text())


class InviteBodySchema(BodySchema):
    """Whom a pairing code lets in; without a role an own device of the owner."""

    makes = Invite
    role = fields.Enum(Role, by_value=Text())
    name = Line(validate=NAME)
    seconds = fields.Float(validate=validate.Range(60, LONGEST_INVITATION))

    @validates_schema
    def _named(self, data: Mapping[str, Any], **_: Any) -> None:
        # The journal tells people apart by this name, so they do not choose it themselves.
        if data.get("role", Role.OWNER) is not Role.OWNER and not data.get("name"):
            raise ValidationError(MISSING, "name")


class KeysBodySchema(BodySchema):
    """Press keys, or type one line of text, if the screen is still this one."""

    makes = KeyPad
    sentence = "screenRev and keys or text are required"
    needs = frozenset({"screenRev", "keys"})
    keys = fields.List(
        Line(validate=validate.Predicate("__len__", error="Empty key.")),
        validate=validate.Length(1, 100),
    )
    text = Line(validate=validate.Length(1, 10_000))
    screen_rev = fields.Integer(
        strict=True, required=True, validate=validate.Range(0, _SAFE_INTEGER)
    )

    @pre_load
    def _one_key(self, data: Any, **_: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("keys"), str):
            return {**data, "keys": [data["keys"]]}
        return data

    @validates_schema
    def _either(self, data: Mapping[str, Any], **_: Any) -> None:
        if "keys" not in data and "text" not in data:
            raise ValidationError(MISSING, "keys")
        if "keys" in data and "text" in data:
            raise ValidationError("Not with keys: give one of the two.", "text")
        for key in data.get("keys", ()):
            if not is_key(key):
                raise ValidationError(f"Not a key of tmux: {key[:20]!r}.", "keys")


class LoginBodySchema(BodySchema):
    """Log in with a token or with a one-time pairing code."""

    makes = Login
    sentence = "token or code is required"
    needs = frozenset({"token"})
    token = Text(validate=ID)
    code = Text(validate=ID)
    name = Line(validate=NAME)

    @validates_schema
    def _either(self, data: Mapping[str, Any], **_: Any) -> None:
        if not (data.get("token") or data.get("code")):
            raise ValidationError(MISSING, "token")


class PageQuerySchema(BodySchema):
    """The query for a piece of the journal."""

    makes = PageQuery
    after = fields.Integer(validate=validate.Range(0, _SAFE_INTEGER))
    limit = fields.Integer(validate=validate.Range(1, 1000))
    session_id = Text(validate=ID)


class LatestEventsQuerySchema(BodySchema):
    """The query for the latest events; `types` are joined by commas."""

    makes = LatestEventsQuery
    types = Text(validate=validate.Length(max=1000))
    session_id = Text(validate=ID)
    cursor = Text(validate=CURSOR)
    limit = fields.Integer(validate=validate.Range(1, 1000))


class MessagesQuerySchema(BodySchema):
    """The query for messages of a conversation."""

    makes = MessagesQuery
    before = Text(validate=ID)
    after = Text(validate=ID)
    limit = fields.Integer(validate=validate.Range(1, 1000))

    @validates_schema
    def _one_side(self, data: Mapping[str, Any], **_: Any) -> None:
        first, *more = [name for name in ("before", "after", "around") if name in data] or [""]
        for name in more:
            raise ValidationError(f"Not with {first}: give one of the two.", name)


class StoredQuerySchema(MessagesQuerySchema):
    """The query for messages of a stored conversation."""

    makes = StoredQuery
    around = Text(validate=ID)


class SearchQuerySchema(BodySchema):
    """The query for a search: words, and phrases in quotes."""

    makes = SearchQuery
    q = Text(required=True, validate=checks_of(validate.Length(max=LONGEST_SEARCH), not_blank))
    cursor = Text(validate=CURSOR)
    limit = fields.Integer(validate=validate.Range(1, 100))


class MachinesQuerySchema(BodySchema):
    """The query for machines; with `measure` each is asked how long it takes to answer."""

    makes = MachinesQuery
    measure = fields.Boolean()


class HistoryQuerySchema(BodySchema):
    """The query for stored conversations."""

    makes = HistoryQuery
    adapter = Text(validate=ID)
    cwd = Text(validate=validate.Length(max=4096))
    limit = fields.Integer(validate=validate.Range(1, 1000))


class HistoryPageQuerySchema(HistoryQuerySchema):
    """The query for a page of stored conversations."""

    makes = HistoryPageQuery
    cursor = Text(validate=CURSOR)
