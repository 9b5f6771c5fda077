"""Turn the updates of a session into events: text in pieces, thoughts, tools, the mode."""

from __future__ import annotations

from collections.abc import Iterator

from clawtap_core.model import ERROR, SUCCESS, AgentEvent, Block, Message, SessionFacts
from clawtap_core.protocol_io.acp.dialect import Dialect
from clawtap_core.protocol_io.acp.tool_calls import Payload, merged, output_of
from clawtap_core.protocol_io.json_values import mapping, text

_KINDS = {"agent_message_chunk": "text_delta", "agent_thought_chunk": "thinking"}
_BLOCKS = {"text_delta": "text", "thinking": "thinking"}
_FINISHED = {"completed": SUCCESS, "failed": ERROR}
Event = AgentEvent | Message | SessionFacts


class TurnUpdates:
    """The updates of one session. A message is complete when something else follows it.

    `spoke`: the model has said something since the turn began, or since its last call.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.spoke = False
        self._kind = ""
        self._text = ""
        self._count = 0
        self._tools: dict[str, Payload] = {}
        self._started: set[str] = set()

    def take(self, update: Payload) -> Iterator[Event]:
        """Handle one update."""
        kind = text(update, "sessionUpdate")
        if kind in _KINDS:
            piece = text(mapping(update.get("content")), "text")
            # An empty piece only carries what was used.
            if piece or not mapping(update.get("_meta")):
                yield from self._chunk(_KINDS[kind], piece)
        elif kind in ("tool_call", "tool_call_update"):
            yield from self.flush()
            yield from self._tool(self._dialect.normal(update))
        elif kind == "current_mode_update":
            yield SessionFacts(mode=self._dialect.modes.get(text(update, "currentModeId")))

    def permission_requested(self, request: Payload) -> Iterator[Event]:
        """Report a tool that asks for permission as started."""
        yield from self.flush()
        yield from self._tool(self._dialect.normal(request), asks=True)

    def call(self, request: Payload) -> Payload:
        """Return the call that a request for permission is about, as far as it is known."""
        request = self._dialect.normal(request)
        return merged(self._tools.get(text(request, "toolCallId")), request)

    def flush(self) -> Iterator[Message]:
        """Yield the message that is complete now."""
        if self._text:
            block = Block(_BLOCKS[self._kind], self._text)
            yield Message(f"said:{self._count}", "assistant", (block,))
        self._kind = self._text = ""

    def _chunk(self, kind: str, piece: str) -> Iterator[Event]:
        if mode := self._dialect.mode_in(piece):
            yield SessionFacts(mode=self._dialect.modes.get(mode))
            return
        if kind != self._kind:
            yield from self.flush()
            self._kind, self._count = kind, self._count + 1
        self._text += piece
        self.spoke = True
        name = f"said:{self._count}"
        yield AgentEvent(kind, {"text": self._text, "delta": piece, "messageId": name})

    def _tool(self, update: Payload, *, asks: bool = False) -> Iterator[Event]:
        name = text(update, "toolCallId")
        earlier = self._tools.get(name)
        call = merged(earlier, update)
        tool = self._dialect.tool(call) or self._dialect.title(call)[0]
        fields = {"toolCallId": name, "toolName": tool}
        status = _FINISHED.get(text(call, "status"))
        # While the model still writes the arguments, they are empty.
        writing = update.get("rawInput") == {} and not asks and not status
        if name not in self._started and not writing:
            self._started.add(name)
            yield AgentEvent("tool_call_start", {**fields, "input": self._dialect.input(call)})
        self._tools[name] = call
        if status:
            self.spoke = False
            self._tools.pop(name)
            self._started.discard(name)
            output = output_of(update)
            tool_input = self._dialect.input(earlier or call)
            yield AgentEvent("tool_call_end", {**fields, "status": status})
            yield AgentEvent("tool_result", {**fields, "status": status, "text": output})
            yield Message(
                name,
                "assistant",
                (
                    Block("tool_use", "", name, tool, tool_input, status),
                    Block("tool_result", output, name, tool, None, status),
                ),
            )
