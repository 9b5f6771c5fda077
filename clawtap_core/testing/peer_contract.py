"""The contract of a peer as pytest tests: what comes from a CLI never breaks it.

class TestMyPeer(PeerContract):
    exchange = Path(__file__).with_name("exchange.jsonl")

    def peer(self):
        return MyPeer()

    def does(self, peer, said): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest

from clawtap_core.model import (
    AgentEvent,
    Interrupt,
    Peer,
    PeerEvent,
    PromptRequested,
    Response,
    SessionFacts,
    SessionState,
    SwitchMode,
    SwitchModel,
    Write,
)
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.testing.protocol_exchange import Exchange, Replay, Said, line_of
from clawtap_core.testing.purity import effects
from clawtap_core.testing.responses import every_response

HEARD = get_args(PeerEvent)


class PeerContract:
    """Subclass it, give a recorded exchange, and say which of its messages a person caused."""

    exchange: ClassVar[Path]
    responses: ClassVar[Sequence[Response]] = ()
    junk_examples: ClassVar[int] = 100

    def peer(self) -> Peer:
        """A fresh peer."""
        raise NotImplementedError

    def does(self, peer: Peer, said: Said) -> Write | None:
        """What a person did in the recording: the peer's bytes for this message of ours."""
        raise NotImplementedError

    def replayed(self, until: PromptRequested | None = None) -> Replay:
        """The recording, played with a fresh peer, to its end or until this is asked."""
        exchange = Exchange.load(self.exchange)
        return Replay(self.peer(), self.does).run(exchange, self.responses, until=until)

    def test_it_says_what_was_said(self) -> None:
        """The peer's side of the exchange is the recorded one: methods, ids and answers."""
        told = [said for ours, said in Exchange.load(self.exchange).lines if ours]
        assert [_gist(said) for said in self.replayed().wrote] == [_gist(said) for said in told]

    def test_nothing_that_was_heard_is_broken(self) -> None:
        """The recording is understood whole."""
        events = [each for each in self.replayed().heard if isinstance(each, AgentEvent)]
        assert [each for each in events if each.data.get("code") == "broken_line"] == []

    def test_every_answer_is_carried_or_refused(self) -> None:
        """Whatever a prompt offers gives bytes, or None; nothing is answered twice."""
        for item in self.replayed().heard:
            if isinstance(item, PromptRequested):
                for _, response in every_response(item.form):
                    peer = self.replayed(until=item).peer
                    first = peer.answer(item.call, response)
                    assert first is None or isinstance(first, Write)
                    assert first is None or peer.answer(item.call, response) is None

    def test_bytes_may_be_split_anywhere(self) -> None:
        """Pieces give what whole lines give."""
        whole, pieces = self.peer(), self.peer()
        whole.open(), pieces.open()
        data = b"".join(map(line_of, Exchange.load(self.exchange).theirs))
        once = list(whole.receive(data))
        cuts = range(0, len(data), 97)
        split = [heard for at in cuts for heard in pieces.receive(data[at : at + 97])]
        assert split == once

    def test_junk_never_raises(self) -> None:
        """Unknown types, wrong ids, duplicates, broken lines, values of other types."""
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
        """A peer opens no file, no socket and no process."""
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
    """Of a peer that speaks JSON-RPC: it also says why its CLI refuses to begin, and that it ends.

    `refused`: the error's code for each of its first requests, which it numbers from 1.
    """

    refused: ClassVar[Sequence[str]]

    def test_a_cli_that_refuses_to_begin_says_why_and_that_it_is_over(self) -> None:
        """Whichever of the first requests it refuses."""
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


def _gist(said: Said) -> Any:
    if "method" in said:
        return said["method"], said.get("id")
    return said["id"], said.get("result")
