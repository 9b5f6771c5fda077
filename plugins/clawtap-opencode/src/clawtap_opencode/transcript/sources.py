"""Where OpenCode keeps its conversations, and how they are read from its database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

import msgspec

from clawtap_core import TranscriptInfo, TranscriptQueries, TranscriptSource, hookimpl

# Those of subagents are part of the conversation that started them.
_CONVERSATIONS = """
SELECT id, time_updated AS changed_at, time_created AS created, directory, title, version
FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC
"""
# Ids grow with the time. A message comes before its parts, which have an id of their own.
_RECORDS = """
WITH own AS (
  SELECT id, id <> :id AS sub, CASE WHEN id <> :id THEN title ELSE '' END AS task
  FROM session WHERE id = :id OR parent_id = :id
)
SELECT * FROM (
  SELECT message.id AS id, '' AS part, own.sub AS sub, own.task AS task, message.data AS data
  FROM message JOIN own ON message.session_id = own.id
  UNION ALL
  SELECT part.message_id, part.id, own.sub, '', part.data
  FROM part JOIN own ON part.session_id = own.id
) ORDER BY id DESC, part DESC
"""
_QUERIES = TranscriptQueries(_CONVERSATIONS, _RECORDS)


class _Conversation(msgspec.Struct):
    id: str
    created: float | None = None
    directory: str | None = None
    title: str | None = None
    version: str | None = None


_decode = msgspec.json.Decoder(_Conversation).decode


@hookimpl
def transcript_sources(env: Mapping[str, str]) -> Sequence[TranscriptSource]:
    """Return the CLI's database, in the user's data folder."""
    data = env.get("XDG_DATA_HOME") or f"{env.get('HOME', '')}/.local/share"
    return (TranscriptSource(f"{data}/opencode", "opencode.db", queries=_QUERIES),)


@hookimpl
def describe_transcript(head: bytes) -> TranscriptInfo | None:
    """Return what the row of a conversation says."""
    try:
        row = _decode(head)
    except msgspec.MsgspecError:
        return None
    return TranscriptInfo(
        row.id, row.directory, row.title, moment(row.created), version=row.version
    )


def moment(milliseconds: float | None) -> datetime | None:
    """Return a time as the database has it; None for one that no clock has shown."""
    if milliseconds is None or not 0 <= milliseconds < 4e12:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
