"""The contract of a peer as pytest tests: what comes from a CLI never breaks it.

class TestMyPeer(PeerContract):
    exchange = Path(__file__).with_name("exchange.jsonl")

    def peer(self):
        return MyPeer()

    def does(self, peer, message): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest

from clawtap_core.model import (
    AgentEvent,
    Interrupt,
    LaunchRequest,
    Peer,
    PeerEvent,
    PromptForm,
    PromptRequested,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    SwitchModel,
    Write,
)
from clawtap_core.protocol_io.acp.dialect import Dialect
from clawtap_core.protocol_io.acp.peer import AcpPeer
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.testing.protocol_exchange import Exchange, Payload, Replay, line_of
from clawtap_core.testing.purity import effects
from clawtap_core.testing.responses import every_response

HEARD = get_args(PeerEvent)


class PeerContract:
    """Subclass it with a recorded exchange, and reproduce the messages that a person caused."""

    exchange: ClassVar[Path]
    responses: ClassVar[Sequence[Response]] = ()
    junk_examples: ClassVar[int] = 100

    def peer(self) -> Peer:
        """Return a new peer."""
        raise NotImplementedError

    def does(self, peer: Peer, message: Payload) -> Write | None:
        """Return the peer's bytes for a message that a person caused, or None."""
        raise NotImplementedError

    def replayed(self, until: PromptRequested | None = None) -> Replay:
        """Replay the recording with a new peer, to its end or until this is asked."""
        exchange = Exchange.load(self.exchange)
        return Replay(self.peer(), self.does).run(exchange, self.responses, until=until)

    def test_it_says_what_was_said(self) -> None:
        """The peer's methods, ids and answers are the recorded ones."""
        recorded = [_gist(sent) for ours, sent in Exchange.load(self.exchange).lines if ours]
        assert [_gist(sent) for sent in self.replayed().wrote] == recorded

    def test_nothing_that_was_heard_is_broken(self) -> None:
        """The peer understands every recorded line."""
        events = [event for event in self.replayed().heard if isinstance(event, AgentEvent)]
        assert [event for event in events if event.data.get("code") == "broken_line"] == []

    def test_every_answer_is_carried_or_refused(self) -> None:
        """Every offered answer gives bytes or None, and is given only once."""
        for item in self.replayed().heard:
            if isinstance(item, PromptRequested):
                for _, response in every_response(item.form):
                    peer = self.replayed(until=item).peer
                    first = peer.answer(item.call, response)
                    assert first is None or isinstance(first, Write)
                    assert first is None or peer.answer(item.call, response) is None

    def test_bytes_may_be_split_anywhere(self) -> None:
        """Pieces give the same events as whole lines."""
        whole, pieces = self.peer(), self.peer()
        whole.open(), pieces.open()
        data = b"".join(map(line_of, Exchange.load(self.exchange).theirs))
        once = list(whole.receive(data))
        cuts = range(0, len(data), 97)
        split = [heard for at in cuts for heard in pieces.receive(data[at : at + 97])]
        assert split == once

    def test_junk_never_raises(self) -> None:
        """Unknown types, wrong ids, duplicates and broken lines are handled."""
        pytest.importorskip("hypothesis", reason="pip install 'clawtap[test]'")
        from hypothesis import HealthCheck, given, settings

        from clawtap_core.testing.junk import junk_lines

        lines = Exchange.load(self.exchange).theirs
        quick = settings(
            max_examples=self.junk_examples,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        quick(given(junk_lines(lines))(self._bear))()

    def test_it_has_no_effects(self) -> None:
        """A peer opens no file, socket or process."""
        exchange = Exchange.load(self.exchange)
        self.replayed()
        with effects() as seen:
            Replay(self.peer(), self.does).run(exchange, self.responses)
        assert seen == []

    def _bear(self, data: Sequence[bytes]) -> None:
        peer = self.peer()
        peer.open()
        for piece in data:
            for item in peer.receive(piece):
                assert isinstance(item, HEARD)
                if isinstance(item, PromptRequested):
                    peer.answer(item.call, Response("r", "yes", answers={"0": "x"}))
                    peer.answer(item.call, Response("r", decision="deny"))
        for action in (Interrupt(), SwitchMode("plan"), SwitchModel("x")):
            peer.control(action)
        peer.message("hello")
        peer.receive(b"")


class RpcPeerContract(PeerContract):
    """A JSON-RPC peer also reports why its CLI refuses to start, and that it ended.

    `refused`: the error's code for each of its first requests, numbered from 1.
    """

    refused: ClassVar[Sequence[str]]

    def test_a_cli_that_refuses_to_begin_says_why_and_that_it_is_over(self) -> None:
        """It does so whichever of the first requests is refused."""
        assert self.refused
        for step, code in enumerate(self.refused, start=1):
            peer = self.peer()
            peer.open()
            for number in range(1, step):
                peer.receive(json_line({"id": number, "result": {}}))
            refusal = json_line({"id": step, "error": {"code": 1, "message": "no"}})
            error, facts = peer.receive(refusal)
            assert isinstance(error, AgentEvent)
            assert (error.data["code"], error.data["error"]) == (code, "no")
            assert facts == SessionFacts(SessionState.ENDED)


class AcpPeerContract(RpcPeerContract):
    """The shared ACP peer in the `dialect` of one adapter."""

    refused = ("not_initialized", "session_not_started")
    adapter: ClassVar[str]
    dialect: ClassVar[Dialect]

    def peer(self) -> Peer:
        """Return the peer of a new session."""
        request = LaunchRequest(self.adapter, "/home/me/proj", channel="protocol")
        return AcpPeer(request, self.dialect)

    def does(self, peer: Peer, message: Payload) -> Write | None:
        """Do what made the client say this: send a message, switch the mode, interrupt."""
        if message["method"] == "session/prompt":
            return peer.message(message["params"]["prompt"][0]["text"])
        if message["method"] == "session/set_mode":
            return peer.control(SwitchMode(self.dialect.modes[message["params"]["modeId"]]))
        if message["method"] == "session/cancel":
            return peer.control(Interrupt())
        return None

    def asked(self) -> list[PromptForm]:
        """Return the prompts of the exchange, in order."""
        return [each.form for each in self.replayed().heard if isinstance(each, PromptRequested)]


def _gist(message: Payload) -> Any:
    if "method" in message:
        return message["method"], message.get("id")
    return message["id"], message.get("result")
