"""Payloads of CLI hooks: what is missing or of another type is None."""

from __future__ import annotations

from clawtap_core import Response
from clawtap_core.protocol_io.hook_payload import session_report, text_field, tool_call


def test_a_field_is_a_text_or_none():
    payload = {"text": "a", "empty": "", "number": 3}
    assert [text_field(payload, name) for name in ("text", "empty", "number", "no")] == [
        "a",
        None,
        None,
        None,
    ]


def test_a_session_is_reported_with_its_start():
    payload = {"session_id": "s", "transcript_path": "/t", "cwd": "/c", "source": "resume"}
    report = session_report("SessionStart", payload)
    assert (report.cli_session_id, report.transcript, report.cwd) == ("s", "/t", "/c")
    assert report.conversation_start == "resume"
    assert session_report("SessionStart", {}).conversation_start == "startup"
    assert session_report("Stop", payload).conversation_start is None


def test_a_call_has_a_name_and_an_input():
    assert tool_call({"tool_name": "Bash", "tool_input": {"a": 1}}) == ("Bash", {"a": 1})
    assert tool_call({"tool_name": "Bash", "tool_input": "a"}) is None
    assert tool_call({"tool_input": {}}) is None


def test_the_labels_of_an_answer_are_a_tuple():
    response = Response("r", answers={"0": "a", "1": ["b", "c"]})
    assert [response.labels(at) for at in range(3)] == [("a",), ("b", "c"), ()]
