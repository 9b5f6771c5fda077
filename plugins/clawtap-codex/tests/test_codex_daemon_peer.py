"""The daemon's peer: which threads are a pane's, and what is asked in them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from clawtap_codex.cli_hooks.merge import merge_prompt
from clawtap_codex.protocol import DaemonPeer, open_daemon
from clawtap_codex.protocol.permissions import command

from clawtap_core import (
    Ack,
    Effect,
    Kind,
    Option,
    PromptForm,
    PromptRequested,
    RequestCancelled,
    Response,
    Write,
)
from clawtap_core.protocol_io.json_lines import json_line


def thread(name, cwd="/home/me", parent=None, waits=True, **more):
    flags = ["waitingOnApproval"] if waits else []
    status = {"type": "active", "activeFlags": flags}
    return {"id": name, "cwd": cwd, "parentThreadId": parent, "status": status, **more}


def joined(peer, *threads):
    """The threads that the peer resumes when these are loaded."""
    peer.open()
    (outgoing,) = peer.receive(json_line({"id": 1, "result": {}}))
    assert b"thread/loaded/list" in outgoing.data
    ids = [each["id"] for each in threads]
    peer.receive(json_line({"id": 2, "result": {"data": ids}}))
    found = []
    for number, each in enumerate(threads, 3):
        for heard in peer.receive(json_line({"id": number, "result": {"thread": each}})):
            said = json.loads(heard.data)
            assert said["method"] == "thread/resume"
            found.append(said["params"]["threadId"])
    return found


def ask(peer, thread_id, number=0):
    params = {"threadId": thread_id, "turnId": "t", "itemId": "c", "command": "ls"}
    request = {"id": number, "method": "item/commandExecution/requestApproval", "params": params}
    return list(peer.receive(json_line(request)))


def test_the_thread_that_waits_in_the_folder_is_joined():
    others = (thread("far", cwd="/elsewhere"), thread("busy", waits=False))
    assert joined(DaemonPeer("/home/me", None), thread("T"), *others) == ["T"]


def test_of_two_that_wait_in_one_folder_neither_is_joined():
    assert joined(DaemonPeer("/home/me", None), thread("T"), thread("U")) == []


def test_the_thread_that_is_known_is_joined_whoever_else_waits():
    assert joined(DaemonPeer("/home/me", "U"), thread("T"), thread("U")) == ["U"]


def test_sub_agents_are_joined_and_ask_in_their_name():
    peer = DaemonPeer("/home/me", "T")
    agent = thread("A", parent="T", agentNickname="Ada")
    assert joined(peer, thread("T"), agent) == ["A", "T"]
    (mine,), (hers,) = ask(peer, "T", 0), ask(peer, "A", 1)
    assert (mine.form.origin, hers.form.origin) == (None, "Ada")


def test_the_answer_to_a_sub_agent_is_left_to_keys():
    peer = DaemonPeer("/home/me", "T")
    joined(peer, thread("T"), thread("A", parent="T", agentNickname="Ada"))
    (mine,), (hers,) = ask(peer, "T", 0), ask(peer, "A", 1)
    assert peer.answer(hers.call, Response("r", "yes-proceed")) is None
    assert peer.answer(mine.call, Response("r", "yes-proceed"))


@pytest.fixture
def peer():
    peer = DaemonPeer("/home/me", "T")
    joined(peer, thread("T"))
    return peer


def test_what_is_none_of_ours_is_left_to_others(peer):
    assert ask(peer, "U") == []
    request = {"id": 5, "method": "item/tool/call", "params": {"threadId": "T"}}
    assert list(peer.receive(json_line(request))) == []


def test_an_answer_is_taken_when_the_daemon_says_so(peer):
    (asked,) = ask(peer, "T")
    assert isinstance(asked, PromptRequested)
    outgoing = peer.answer(asked.call, Response("r", "yes-proceed"))
    assert isinstance(outgoing, Write)
    resolved = {"method": "serverRequest/resolved", "params": {"threadId": "T", "requestId": 0}}
    assert list(peer.receive(json_line(resolved))) == [Ack(outgoing.receipt)]


def test_what_the_desk_answered_is_answered_elsewhere(peer):
    (asked,) = ask(peer, "T")
    resolved = {"method": "serverRequest/resolved", "params": {"threadId": "T", "requestId": 0}}
    assert list(peer.receive(json_line(resolved))) == [RequestCancelled(asked.call, elsewhere=True)]


def test_the_socket_lies_in_the_home_of_the_cli():
    found = open_daemon({"HOME": "/home/me"}, "/home/me", None)
    assert found.server == "/home/me/.codex/app-server-control/app-server-control.sock"
    assert open_daemon({"CODEX_HOME": "/c", "HOME": "/h"}, "/", None).server.startswith("/c/")
    assert open_daemon({}, "/", None) is None


SEEN = PromptForm(
    Kind.PERMISSION,
    "Would you like to run the following command?",
    "Reason: why\n$ git push",
    tool_name="exec_command",
    tool_input={"command": "git push"},
    options=(Option("yes-proceed", "Yes, proceed", Effect.ALLOW_ONCE),),
)


def test_one_prompt_by_two_ways_is_one(peer):
    (asked,) = ask(peer, "T")
    assert merge_prompt(SEEN, asked.form) is None, "another command"
    known = PromptForm(
        Kind.PERMISSION,
        SEEN.title,
        tool_name="exec_command",
        tool_input={"command": "git push"},
        tool_call_id="c1",
        origin="Ada",
    )
    whole = merge_prompt(replace(SEEN, origin="Ada"), known)
    assert (whole.tool_call_id, whole.origin) == ("c1", "Ada")
    assert (whole.description, whole.options) == (SEEN.description, SEEN.options)


def test_what_a_sub_agent_asks_is_not_taken_for_the_same_call_of_the_main_agent():
    known = replace(SEEN, tool_call_id="c1")
    hers = replace(SEEN, origin="Ada")
    assert merge_prompt(SEEN, known)
    assert merge_prompt(hers, known) is None
    assert merge_prompt(SEEN, replace(known, origin="Ada")) is None
    whole = merge_prompt(hers, replace(known, origin="Ada"))
    assert (whole.tool_call_id, whole.origin) == ("c1", "Ada")


def test_a_command_names_the_folder_in_which_it_runs():
    params = {"threadId": "T", "itemId": "c", "command": "cat a", "cwd": "/etc"}
    assert command(params, {}).form.tool_input == {"command": "cat a", "cwd": "/etc"}
    assert command({**params, "cwd": None}, {}).form.tool_input == {"command": "cat a"}
