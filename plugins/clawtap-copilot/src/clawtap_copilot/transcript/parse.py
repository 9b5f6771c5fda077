"""Parse the events of a session into messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clawtap_copilot.transcript import records
from clawtap_copilot.transcript.records import Data, Event
from clawtap_core import (
    CANCELLED,
    ERROR,
    SUCCESS,
    AgentEvent,
    Block,
    Message,
    Parsed,
    hookimpl,
)
from clawtap_core.transcripts.api_error import error_code
from clawtap_core.transcripts.conversation_builder import (
    COMPACTED,
    ConversationBuilder,
    read_lines,
    title_of,
    tool_call,
)
from clawtap_core.transcripts.skip_counts import SkipCounts

_REFUSED = ("rejected", "denied")
_AGENT_ENDS = ("subagent.completed", "subagent.failed")
_DIFF = "diff --git "
_QUIET = frozenset(
    {
        "assistant.turn_end",
        "assistant.turn_start",
        "hook.end",
        "hook.start",
        "human_response.recorded",
        "permission.completed",
        "permission.requested",
        "session.info",
        "session.mode_notice_delivered",
        "session.permissions_changed",
        "session.shutdown",
        "session.start",
        "session.title_changed",
        "subagent.configured",
        "system.message",
        "system.notification",
        "tool.execution_start",
    }
)


@dataclass(frozen=True, slots=True)
class ReadingState:
    """The messages that may still change, and the names of subagents by their ids.

    `asked_by`: the subagent of each message that may have open calls. `resumed`: the session was
    taken up again, and the user has said nothing since.
    """

    messages: tuple[Message, ...] = ()
    agents: Mapping[str, str] = field(default_factory=dict)
    asked_by: Mapping[str, str] = field(default_factory=dict)
    resumed: bool = False


@hookimpl
def parse_transcript(data: bytes, state: ReadingState | None) -> Parsed:
    """Parse new lines into messages."""
    reader = _Reader(state or ReadingState())
    consumed = read_lines(data, reader.take, reader.skipped.broken)
    return Parsed(
        consumed,
        ReadingState(reader.builder.state, reader.agents, reader.asked_by, reader.resumed),
        reader.builder.messages,
        tuple(reader.events()),
        reader.skipped.total(),
        reader.skipped,
    )


class _Reader:
    def __init__(self, state: ReadingState) -> None:
        self.builder = ConversationBuilder(state.messages)
        self.agents = dict(state.agents)
        self.asked_by = dict(state.asked_by)
        self.resumed = state.resumed
        self.skipped = SkipCounts()
        self._status: dict[str, Any] = {}
        self._errors: list[AgentEvent] = []

    def events(self) -> Iterable[AgentEvent]:
        """Return the errors, and what became known of the session."""
        yield from self._errors
        if self._status:
            yield AgentEvent("status_update", self._status)

    def take(self, line: bytes) -> None:
        """Take one event."""
        event = records.event(line)
        if event.type in _QUIET:
            return
        data = records.data(event.data)
        if event.type == "user.message":
            self._user(event, data)
        elif event.type == "assistant.message":
            self._assistant(event, data)
        elif event.type == "tool.execution_complete":
            self._result(data)
        elif event.type == "session.resume":
            self.resumed = True
        elif event.type == "abort":
            self.builder.cancel()
            self._notice(event, "Interrupted by the user", "interrupted")
        elif event.type == "session.error":
            self._errors.append(
                AgentEvent("session_error", {"error": data.message, "code": _code(data.message)})
            )
            self._notice(event, data.message, "error")
        elif event.type == "session.compaction_complete":
            self._notice(event, COMPACTED, "compaction")
        elif event.type == "subagent.started" and event.agent:
            self.agents[event.agent] = self._task(data.call_id) or data.agent
        elif event.type in _AGENT_ENDS:
            self._end_agent(event.agent)
        else:
            self._note_status(event, data)

    def _user(self, event: Event, data: Data) -> None:
        # What a subagent was asked is the call that started it; what else has a source is the
        # CLI's own.
        if event.agent is None and data.source in (None, "user") and data.content.strip():
            if self.resumed:
                # A CLI that was killed has not written how its calls ended. One that waited for
                # its prompt may be asked about again before the user says anything.
                self.builder.cancel()
                self.resumed = False
            block = Block("text", data.content)
            self.builder.add_message(event.id, "user", [block], at=event.timestamp)

    def _assistant(self, event: Event, data: Data) -> None:
        blocks = [Block("thinking", data.reasoning)] if data.reasoning else []
        if data.content.strip():
            blocks.append(Block("text", data.content))
        blocks += [tool_call(call.id, call.name, call.arguments) for call in data.calls]
        if data.model and event.agent is None:
            self._status["model"] = data.model
        origin = self.agents.get(event.agent, "subagent") if event.agent else None
        if event.agent and data.calls:
            self.asked_by[event.id] = event.agent
        if blocks:
            self.builder.add_message(
                event.id, "assistant", blocks, at=event.timestamp, origin=origin
            )

    def _end_agent(self, agent: str | None) -> None:
        """Cancel what the agent still waits for: one that was stopped gets no results."""
        self.builder.cancel([name for name, asker in self.asked_by.items() if asker == agent])
        self.asked_by = {name: asker for name, asker in self.asked_by.items() if asker != agent}

    def _task(self, call_id: str) -> str | None:
        """Return what a subagent is to do, as the call that started it says."""
        call = self.builder.pending(call_id)
        return title_of(str(call.input.get("description") or "")) if call and call.input else None

    def _result(self, data: Data) -> None:
        if data.success or not isinstance(data.error, records.Failure):
            result = data.result or records.Result()
            diff = result.detailed if result.detailed.lstrip().startswith(_DIFF) else None
            status = SUCCESS if data.success else ERROR
            self.builder.result(data.call_id, result.content, status, diff and diff.lstrip())
            return
        status = CANCELLED if data.error.code in _REFUSED else ERROR
        self.builder.result(data.call_id, data.error.message, status)

    def _note_status(self, event: Event, data: Data) -> None:
        if event.type == "session.mode_changed":
            self._status["mode"] = data.new_mode
        elif event.type == "session.model_change":
            self._status["model"] = data.new_model
        elif event.type == "session.usage_record":
            if data.usage and event.agent is None:
                self._status["contextTokens"] = data.usage.input + data.usage.output
        else:
            self.skipped.unknown("an event of type", event.type)

    def _notice(self, event: Event, text: str, notice: str) -> None:
        block = Block("text", text)
        self.builder.add_message(event.id, "system", [block], at=event.timestamp, notice=notice)


def _code(text: str) -> str:
    return error_code(text, not_authorized=("/login", "authentication"))
