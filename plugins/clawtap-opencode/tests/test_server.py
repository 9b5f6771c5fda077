"""The peer of OpenCode's server: what waits in a TUI, and how that is answered."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from clawtap_opencode.merge import merge_prompt
from clawtap_opencode.protocol.server import ServerPeer, open_daemon
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core import (
    Ack,
    Effect,
    Kind,
    Option,
    PromptForm,
    PromptRequested,
    Question,
    RequestCancelled,
    Response,
    Write,
)
from clawtap_core.protocol_io.json_lines import json_line

ALLOW = Response("r", "allow-once")


def permission(name="per_1", session="ses_1", tool="bash", call="call_1", **metadata):
    about = metadata or {"command": "touch a.txt"}
    return {
        "id": name,
        "sessionID": session,
        "permission": tool,
        "patterns": ["touch a.txt"],
        "metadata": about,
        "always": ["touch *"],
        "tool": {"messageID": "msg_1", "callID": call},
    }


def question(name="que_1", *questions):
    return {"id": name, "sessionID": "ses_1", "questions": list(questions)}


WHICH = {"question": "Which?", "header": "Db", "options": [{"label": "A", "description": "a"}]}
WHAT = {**WHICH, "question": "What?", "multiple": True, "custom": False}


class Talk:
    """A peer with the server that it speaks to; `sessions` are what that knows."""

    def __init__(self, permissions=(), questions=(), sessions=None):
        self.peer = ServerPeer()
        self.sessions = sessions or {}
        self.replies = {"GET /permission": permissions, "GET /question": questions}
        self.sent = []
        self.seen = []
        self.serve(self.peer.open())

    def serve(self, data):
        """Answer what the peer writes, as long as it only reads."""
        for line in data.splitlines():
            request = json.loads(line)
            self.sent.append((request["method"], request["params"]))
            method, number = request["method"], request["id"]
            if method.startswith("GET /session/"):
                body = self.sessions.get(method.rpartition("/")[2], {})
                self.hear({"id": number, "result": {"body": body}})
            elif method.startswith("GET"):
                self.hear({"id": number, "result": {"body": list(self.replies[method])}})

    def hear(self, line):
        for event in self.peer.receive(json_line(line)):
            if isinstance(event, Write):
                self.serve(event.data)
            else:
                self.seen.append(event)

    def event(self, kind, **about):
        self.hear({"method": "message", "params": {"type": kind, "properties": about}})

    def answer(self, call, response=ALLOW):
        write = self.peer.answer(call, response)
        assert write.receipt == call
        self.serve(write.data)
        return self.sent[-1]


def test_the_server_is_where_the_arguments_say_or_where_opencode_listens():
    def port(*argv):
        return open_daemon({}, ("opencode", *argv)).server.port

    assert port("--port", "4096") == port("--port=4096") == 4096
    for argv in ((), ("--port", "0"), ("--port",), ("--port", "x"), ("--port=999999",)):
        assert port(*argv) is None
    server = open_daemon({"OPENCODE_SERVER_PASSWORD": "sesame"}, ()).server
    assert (server.events, server.user, server.password) == ("/event", "opencode", "sesame")


def test_what_waits_already_and_what_comes_later_is_reported_once():
    talk = Talk([permission()], [question("que_1", WHICH, WHAT)])
    talk.event("permission.asked", **permission())
    talk.event("permission.asked", **permission("per_2", call="call_2", command="ls"))
    forms = {event.call: event.form for event in talk.seen}
    assert list(forms) == ["per_1", "que_1", "per_2"]
    assert forms["per_1"].tool_input == {"command": "touch a.txt"}
    assert forms["per_1"].tool_call_id == "call_1"
    first, second = forms["que_1"].questions
    assert (first.other, first.multi_select) == (True, False)
    assert (second.other, second.multi_select) == (False, True)


def test_an_answer_is_confirmed_by_its_event_only():
    talk = Talk([permission()])
    talk.seen.clear()
    assert talk.answer("per_1") == ("POST /permission/per_1/reply", {"reply": "once"})
    talk.hear({"id": 4, "result": {"body": True}})
    assert talk.seen == []
    talk.event("permission.replied", requestID="per_1", reply="once")
    assert talk.seen == [Ack("per_1")]


def test_another_answer_was_first():
    talk = Talk([permission()])
    talk.answer("per_1")
    talk.seen.clear()
    talk.event("permission.replied", requestID="per_1", reply="reject")
    ack, cancelled = talk.seen
    assert ack.error
    assert cancelled == RequestCancelled("per_1", elsewhere=True)
    assert talk.peer.answer("per_1", ALLOW) is None


def test_a_request_that_the_server_does_not_know_is_refused():
    talk = Talk([permission()])
    talk.answer("per_1")
    talk.seen.clear()
    talk.hear({"id": 4, "error": {"message": "status 404"}})
    assert talk.seen == [Ack("per_1", "status 404")]


def test_a_refusal_carries_its_reason_and_always_is_left_to_the_screen():
    talk = Talk([permission()])
    refused = talk.answer("per_1", Response("r", "reject", reason="not now"))
    assert refused[1] == {"reply": "reject", "message": "not now"}
    assert talk.answer("per_1", Response("r", decision="deny"))[1] == {"reply": "reject"}
    assert talk.peer.answer("per_1", Response("r", "allow-always")) is None
    assert talk.peer.answer("per_9", ALLOW) is None


def test_questions_are_answered_in_their_order_or_dismissed():
    talk = Talk((), [question("que_1", WHICH, WHAT)])
    given = Response("r", answers={"1": ("C", "D"), "0": "my own"})
    path, body = talk.answer("que_1", given)
    assert (path, body) == ("POST /question/que_1/reply", {"answers": [["my own"], ["C", "D"]]})
    talk.event("question.replied", requestID="que_1", answers=[["my own"], ["C", "D"]])
    assert talk.seen[-1] == Ack("que_1")
    talk.event("question.asked", **question("que_2", WHICH))
    path, _ = talk.answer("que_2", Response("r", decision="deny"))
    assert path == "POST /question/que_2/reject"
    talk.event("question.rejected", requestID="que_2")
    assert talk.seen[-1] == Ack("que_2")


@pytest.mark.parametrize(
    ("title", "name"),
    [("look around (@general subagent)", "look around"), ("", "general"), (7, "general")],
)
def test_a_subagent_asks_in_the_name_that_its_transcript_has(title, name):
    child = {"id": "ses_2", "parentID": "ses_1", "agent": "general", "title": title}
    talk = Talk([permission(session="ses_2")], sessions={"ses_2": child})
    (asked,) = talk.seen
    assert asked.form.origin == name


def test_the_same_call_in_two_conversations_is_answered_by_keys():
    talk = Talk([permission()])
    talk.seen.clear()
    talk.event("permission.asked", **permission("per_2", session="ses_2", call="call_2"))
    assert talk.seen == [RequestCancelled("per_1")]
    talk.event("permission.replied", requestID="per_2", reply="once")
    talk.event("permission.asked", **permission("per_3", call="call_3"))
    assert [event.call for event in talk.seen if isinstance(event, PromptRequested)] == [
        "per_1",
        "per_3",
    ]


def test_two_edits_of_one_file_at_once_are_answered_by_keys():
    path = "/p/a.txt"
    edits = [
        permission(f"per_{number}", tool="edit", filepath=path, diff=f"x\n@@ -{number} @@")
        for number in range(2)
    ]
    assert Talk(edits).seen == []
    (asked,) = Talk(edits[:1]).seen
    assert asked.form.description == "@@ -0 @@"


@pytest.mark.parametrize(
    "broken",
    [
        {**permission(), "id": "../../x"},
        {**permission(), "sessionID": "a/b"},
        {**permission(), "permission": "todowrite"},
        {**permission(), "metadata": {"command": 7}},
        {**permission(), "id": None},
        "not an object",
    ],
)
def test_what_is_no_request_is_left_to_the_screen(broken):
    assert Talk([broken]).seen == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["type", "properties", "id", "requestID"]), JSON), JSON)
def test_nothing_that_a_server_says_makes_the_peer_raise(params, body):
    talk = Talk()
    talk.hear({"method": "message", "params": params})
    kinds = ("permission.asked", "question.asked", "permission.replied")
    for kind in kinds:
        talk.hear({"method": "message", "params": {**params, "type": kind, "properties": body}})
    talk.peer.receive(b"")


BUTTONS = (
    Option("allow-once", "Allow once", Effect.ALLOW_ONCE),
    Option("reject", "Reject", Effect.DENY),
)


def shown(title="Shell command", description="touch a.txt", tool="bash", **more):
    return PromptForm(Kind.PERMISSION, title, description, tool_name=tool, options=BUTTONS, **more)


def reported(talk):
    return talk.seen[0].form


def test_the_screen_and_the_server_are_one_prompt():
    whole = reported(Talk([permission(command="touch a.txt && ls\n# more")]))
    assert merge_prompt(shown(description="touch b.txt"), whole) is None
    cut = shown(description="touch a.txt && ls", truncated=True, expandable=True)
    merged = merge_prompt(cut, whole)
    assert (merged.description, merged.truncated, merged.expandable) == (
        "touch a.txt && ls\n# more",
        False,
        False,
    )
    assert merged.tool_call_id == "call_1"
    assert merge_prompt(replace(cut, truncated=False), whole) is None


def in_transcript(tool="bash", **given):
    return PromptForm(Kind.UNKNOWN, "", tool_name=tool, tool_input=given, tool_call_id="call_1")


def test_the_screen_and_a_call_of_the_transcript_are_one_prompt():
    seen = shown(description="date && touch\na.txt", rewrapped=True)
    seen = replace(seen, tool_input={"command": seen.description})
    merged = merge_prompt(seen, in_transcript(command="date && touch a.txt", description="Runs it"))
    assert merged.tool_call_id == "call_1"
    assert merged.tool_input == {"command": "date && touch a.txt"}
    assert not merged.rewrapped
    assert merge_prompt(merged, in_transcript(command="date && touch b.txt")) is None
    assert merge_prompt(replace(merged, tool_call_id="call_2"), in_transcript()) is None


def test_the_folder_of_a_command_is_known_from_the_transcript():
    seen = replace(shown(description="ls"), tool_input={"command": "ls"})
    merged = merge_prompt(seen, in_transcript(command="ls", workdir="/etc", description="Runs it"))
    assert merged.tool_input == {"command": "ls", "workdir": "/etc"}
    assert merge_prompt(seen, merged).tool_input == merged.tool_input


def test_a_cut_command_is_not_guessed_from_the_transcript():
    cut = shown(description="date", truncated=True)
    assert merge_prompt(cut, in_transcript(command="date && rm -rf build")) is None


def test_a_command_with_control_characters_is_completed_though_the_screen_leaves_out_its_end():
    command = "printf 'a\x1b[2Jb' && ls"
    seen = shown(description="printf 'a [2Jb' && l")
    seen = replace(seen, tool_input={"command": seen.description})
    server = reported(Talk([permission(command=command)]))
    for known in (in_transcript(command=command), server):
        merged = merge_prompt(seen, known)
        assert merged.tool_input == {"command": command}
        assert (merged.description, merged.truncated) == ("printf 'a\\x1b[2Jb' && ls", False)
    assert merge_prompt(seen, in_transcript(command="touch \x1bx")) is None


def test_a_command_with_characters_that_the_cli_leaves_out_is_shown_with_them():
    for unseen in "\u200b\ufeff":
        command = f"touch a{unseen}b.txt"
        seen = shown(description="touch ab.txt", rewrapped=True)
        seen = replace(seen, tool_input={"command": seen.description})
        server = reported(Talk([permission(command=command)]))
        for known in (in_transcript(command=command), server):
            merged = merge_prompt(seen, known)
            assert merged.description == command
            assert merged.tool_input == {"command": command}
            assert merged.rewrapped
        assert merge_prompt(seen, in_transcript(command=f"rm x{unseen}y")) is None


def test_a_path_is_one_as_seen_from_the_project():
    edit = reported(Talk([permission(tool="edit", filepath="/p/src/a.txt", diff="@@")]))
    assert merge_prompt(shown("Edit src/a.txt", "1 + x", "edit"), edit)
    assert merge_prompt(shown("Edit b.txt", "1 + x", "edit"), edit) is None
    assert merge_prompt(shown("Read src/a.txt", "", "read"), edit) is None


def test_a_confirmation_of_always_is_no_request_of_the_server():
    buttons = (Option("confirm", "Confirm", Effect.ALLOW_ALWAYS), Option("cancel", "Cancel"))
    page = replace(shown("Always allow"), options=buttons)
    assert merge_prompt(page, reported(Talk([permission()]))) is None


def test_questions_in_tabs_become_one_prompt():
    both = reported(Talk((), [question("que_1", WHICH, WHAT)]))
    seen = PromptForm(Kind.QUESTION, "What?", questions=(Question("What?"),))
    assert [each.question for each in merge_prompt(seen, both).questions] == ["Which?", "What?"]
    other = PromptForm(Kind.QUESTION, "Review", questions=(Question("Review"),))
    assert merge_prompt(other, both) is None
