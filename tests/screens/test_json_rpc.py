"""JSON-RPC over lines: who asked what, in whatever pieces it comes."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.protocol_io.json_lines import BrokenLine, json_line
from clawtap_core.protocol_io.json_rpc import JsonRpc, RpcNotice, RpcReply, RpcRequest

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("id", "method", "params", "result", "error", "jsonrpc", "data"), JSON),
)


def test_replies_come_in_any_order_with_what_they_are_about():
    rpc = JsonRpc()
    first = json.loads(rpc.request("one", {}, "first"))
    second = json.loads(rpc.request("two", {"a": 1}, "second"))
    assert (first["jsonrpc"], second["params"]) == ("2.0", {"a": 1})
    answers = json_line({"id": second["id"], "result": {"x": 1}})
    answers += json_line({"id": first["id"], "error": {"code": -1, "message": "no"}})
    assert list(rpc.feed(answers)) == [
        RpcReply("second", {"x": 1}),
        RpcReply("first", {}, "no", -1),
    ]


def test_requests_and_notices_of_the_other_side_are_distinguished():
    rpc = JsonRpc(version=False)
    data = json_line({"id": "7", "method": "ask", "params": {"q": 1}})
    data += json_line({"method": "tell"})
    assert list(rpc.feed(data)) == [RpcRequest("7", "ask", {"q": 1}), RpcNotice("tell", {})]
    assert json.loads(rpc.reply("7", {"ok": True})) == {"id": "7", "result": {"ok": True}}
    assert json.loads(rpc.refuse(8, "no such method"))["error"]["code"] == -32601
    assert json.loads(rpc.notify("initialized")) == {"method": "initialized"}


def test_a_reply_to_nothing_is_broken_and_a_second_one_too():
    rpc = JsonRpc()
    rpc.request("one", {}, "first")
    lines = json_line({"id": 1, "result": None}) * 2 + json_line({"id": True, "result": {}})
    reply, *broken = rpc.feed(lines)
    assert reply == RpcReply("first")
    assert [type(each) for each in broken] == [BrokenLine, BrokenLine]


def test_an_error_has_words():
    rpc = JsonRpc()
    errors = ({"message": "Internal error", "data": {"details": "why"}}, {}, "rubbish")
    said = []
    for number, error in enumerate(errors, 1):
        rpc.request("one", {})
        said += [each.error for each in rpc.feed(json_line({"id": number, "error": error}))]
    assert said[0] == "Internal error: why"
    assert all(said)


@given(st.lists(MEMBERS | JSON, max_size=6), st.data())
def test_no_input_raises_however_it_is_split(messages, data):
    rpc = JsonRpc()
    rpc.request("one", {}, "first")
    whole = b"".join(json.dumps(each).encode() + b"\n" for each in messages)
    at = data.draw(st.integers(0, len(whole)))
    pieces = [piece for piece in (whole[:at], whole[at:]) if piece]
    split = [each for piece in pieces for each in rpc.feed(piece)]
    again = JsonRpc()
    again.request("one", {}, "first")
    assert split == (list(again.feed(whole)) if whole else [])
