"""The title of a session: its own, the CLI's, or the first message."""

from __future__ import annotations

from collections.abc import Sequence

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Message, Session
from clawtap_core.search.plain_text import without_markdown
from clawtap_core.transport import Transport

MESSAGES = 20


def session_title(transport: Transport, session: Session) -> str:
    """Return the title that the page shows; "" where only the folder's name is left."""
    if session.has_own_title:
        return session.title
    try:
        page = transport.messages(session.id, limit=MESSAGES)
    except ClawTapError:
        return ""
    return conversation_title(transport, session, page.messages, complete=not page.more)


def conversation_title(
    transport: Transport, session: Session, messages: Sequence[Message], *, complete: bool
) -> str:
    """Return the CLI's own title, or the first message if `messages` are all there are."""
    if title := _stored_title(transport, session):
        return title
    questions = (first_line(message) for message in messages if message.role == "user")
    return next(filter(None, questions), "") if complete else ""


def first_line(message: Message) -> str:
    """Return the first text of a message in one line; "" for one of the CLI."""
    if message.role == "system":
        return ""
    texts = (block.text for block in message.content if block.type == "text")
    text = next((text for text in texts if text.strip()), "")
    return " ".join((without_markdown(text) if message.role == "assistant" else text).split())


def _stored_title(transport: Transport, session: Session) -> str:
    if not session.cli_session_id:
        return ""
    try:
        stored = transport.stored(session.adapter, session.cli_session_id, limit=1)
    except ClawTapError:
        return ""
    return stored.session.title or ""
