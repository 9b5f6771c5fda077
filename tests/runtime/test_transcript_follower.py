"""A session finds the conversation of its CLI, follows it, and finds it again."""

from __future__ import annotations

import errno
import os
import time

import pytest
from fake_terminal import Toy, until
from toy_conversations import said, show
from toy_transcripts import append, call, note, write

from clawtap_core.transcripts import folder_watch


def test_a_session_follows_the_conversation_that_its_cli_says_it_holds(office):
    desk = office.open()
    one = office.start(desk)
    (office.home.parent / "7.state").write_text("north idle")
    office.write("north", note("n1", "go north"))
    show(desk, one, "go north")
    assert until(lambda: said(desk, one)) == ["n1"]
    office.write("south", note("s1", "go south"))
    (office.home.parent / "7.state").write_text("south idle")
    show(desk, one, "cleared")
    desk.transport().message(one, "go south")
    until(lambda: said(desk, one) == ["s1"])
    rekeyed = [event for event in desk.journal.read(0, 500) if event.type == "session_rekeyed"]
    assert [event.data["cliSessionId"] for event in rekeyed] == ["north", "south"]


def test_what_a_search_finds_does_not_replace_what_the_cli_named_meanwhile(office, monkeypatch):
    desk = office.open()
    conversations = desk.agent.conversations
    find, named = conversations._finder.find, []

    def find_slowly(session, *arguments, **options):
        found = find(session, *arguments, **options)
        if found and not named:
            named.append(found.info.cli_session_id)
            conversations.follow(session.id, "other", str(other))
        return found

    monkeypatch.setattr(conversations._finder, "find", find_slowly)
    session = office.start(desk)
    other = office.write("other", note("x", "bye"))
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: named)
    conversations.close()  # its thread ends what it does
    assert named == ["talk"]
    assert said(desk, session) == ["x"]
    assert desk.transport().session(session).cli_session_id == "other"


def test_subagents_speak_under_the_names_of_their_tasks(office):
    desk = office.open()
    one = office.start(desk)
    office.write("north", note("n1", "go north"))
    office.write("north/agents/a1", note("x", "I clean", "assistant"))
    write(office.home / "north/agents/a1.task", b"Clean the build folder")
    office.write("north/agents/a2", note("y", "I look", "assistant"))
    show(desk, one, "go north")
    until(lambda: set(said(desk, one)) == {"n1", "x", "y"})
    append(office.home / "north/agents/a1.jsonl", note("z", "I am done", "assistant"))
    until(lambda: "z" in said(desk, one))
    messages = desk.transport().messages(one).messages
    names = {message.id: message.origin for message in messages}
    task = "Clean the build folder"
    assert names == {"n1": None, "x": task, "z": task, "y": "a2"}


def old(path):
    """Nothing was written into a transcript for a minute."""
    os.utime(path, (time.time() - 60, time.time() - 60))


def test_a_new_conversation_at_the_desk_is_followed_though_the_cli_does_not_say_so(office, quick):
    desk = office.open()
    one = office.start(desk)
    path = office.write("north", note("n1", "go to the north"))
    show(desk, one, "go to the north")
    until(lambda: said(desk, one) == ["n1"])
    old(path)
    desk.transport().message(one, "go to the south")
    until(lambda: desk.transport().session(one).queued == 0)
    office.write("south", note("s1", "go to the south", at=time.time()))
    show(desk, one, "go to the south")
    until(lambda: said(desk, one) == ["s1"])
    until(lambda: desk.transport().session(one).cli_session_id == "south")


def test_an_older_conversation_that_a_new_session_took_up_is_followed(office):
    desk = office.open()
    path = office.write(
        "milk", note("m1", "remember the milk"), note("m2", "I have heard of it", "assistant")
    )
    old(path)
    one = office.start(desk)
    show(desk, one, "Recently: remember the milk")
    time.sleep(0.6)
    assert said(desk, one) == []
    show(desk, one, "remember the milk", "I have heard of it")
    until(lambda: said(desk, one) == ["m1", "m2"])
    until(lambda: desk.transport().session(one).cli_session_id == "milk")


def test_a_session_that_worked_is_in_no_conversation_that_was_silent_meanwhile(office):
    desk = office.open()
    path = office.write(
        "milk", note("m1", "remember the milk"), note("m2", "I have heard of it", "assistant")
    )
    old(path)
    one = office.start(desk)
    desk.transport().message(one, "remember the milk")
    until(lambda: desk.transport().session(one).queued == 0)
    show(desk, one, "remember the milk", "I have heard of it")
    time.sleep(0.6)
    assert said(desk, one) == []
    append(path, note("m3", "remember the bread"), note("m4", "I heard that, too", "assistant"))
    show(desk, one, "remember the bread", "I heard that, too")
    until(lambda: said(desk, one) == ["m1", "m2", "m3", "m4"])


@pytest.mark.parametrize("why", ["not shown", "shown by another", "by hook", "written on"])
def test_in_doubt_a_session_stays_in_its_conversation(office, quick, why):
    desk = office.open()
    one, two = office.start(desk), office.start(desk)
    path = office.write("north", note("n1", "go to the north"))
    show(desk, one, "go to the north")
    until(lambda: said(desk, one) == ["n1"])
    if why == "by hook":
        desk.agent.conversations.follow(one, "north", str(path))
    old(path)
    desk.transport().message(one, "go to the south")
    until(lambda: desk.transport().session(one).queued == 0)
    if why != "not shown":
        show(desk, one, "go to the south")
    if why == "shown by another":
        show(desk, two, "go to the south")
    office.write("south", note("s1", "go to the south", at=time.time()))
    if why == "written on":
        append(path, note("n2", "go to the south"))
    time.sleep(0.6)
    assert desk.transport().session(one).cli_session_id == "north"


def test_a_conversation_that_a_refused_hook_named_is_followed_once_its_words_show(office, quick):
    desk = office.open()
    one = office.start(desk)
    path = office.write("north", note("n1", "go to the north"))
    show(desk, one, "go to the north")
    until(lambda: said(desk, one) == ["n1"])
    desk.agent.conversations.follow(one, "north", str(path))
    old(path)
    desk.transport().message(one, "go to the south")
    until(lambda: desk.transport().session(one).queued == 0)
    office.write("south", note("s1", "go to the south", at=time.time()))
    desk.agent.conversations.doubt(one, "south")
    time.sleep(0.6)
    assert desk.transport().session(one).cli_session_id == "north"
    show(desk, one, "go to the south")
    until(lambda: said(desk, one) == ["s1"])
    until(lambda: desk.transport().session(one).cli_session_id == "south")


def _rekeyed(office):
    return [event.type for event in office.journal.read(0, 100)].count("session_rekeyed")


def test_a_session_is_bound_to_the_transcript_whose_words_stand_on_its_screen(office):
    desk = office.open()
    one, two = office.start(desk), office.start(desk)
    office.write("north", note("n1", "go north"), note("n2", "I hear you", "assistant"))
    office.write("south", note("s1", "go south"), note("s2", "I hear you", "assistant"))
    show(desk, one, "go north", "I hear you")
    show(desk, two, "go south", "I hear you")
    assert until(lambda: said(desk, one)) == ["n1", "n2"]
    assert until(lambda: said(desk, two)) == ["s1", "s2"]
    until(lambda: desk.transport().session(one).cli_session_id == "north")
    until(lambda: desk.transport().session(two).cli_session_id == "south")
    until(lambda: _rekeyed(office) == 2)


def test_a_hook_says_for_sure_which_transcript_it_is(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"))
    other = office.write("other", note("x", "bye"))
    desk.agent.conversations.follow(session, "talk", str(path))
    assert said(desk, session) == ["a"]
    desk.agent.conversations.follow(session, "other", str(other))
    assert said(desk, session) == ["x"]
    assert desk.transport().session(session).cli_session_id == "other"


def test_a_path_outside_the_clis_folders_is_not_read(office, tmp_path):
    desk = office.open()
    session = office.start(desk)
    secret = write(tmp_path / "secret.jsonl", note("a", "key"))
    desk.agent.conversations.follow(session, "secret", str(secret))
    assert said(desk, session) == []


def test_after_a_restart_the_transcript_is_found_again(office):
    first = office.open()
    session = office.start(first)
    path = office.write("talk", note("a", "hello"))
    show(first, session, "hello")
    until(lambda: said(first, session))
    first.agent.close()
    append(path, note("b"))
    second = office.open()
    assert said(second, session) == ["a", "b"]
    append(path, note("c"))
    until(lambda: said(second, session) == ["a", "b", "c"])


@pytest.mark.parametrize("origin", ["launched", "adopted"])
def test_the_calls_of_a_cli_that_ended_are_cancelled(office, origin):
    desk = office.open()
    if origin == "launched":
        session = office.start(desk)
    else:
        desk.terminal.programs["%9"] = Toy()
        session = desk.transport().adopt("%9", "toy").id
    path = office.write("talk", note("a", "hello"), call("b"))
    desk.agent.conversations.follow(session, "talk", str(path))

    def statuses():
        messages = desk.transport().messages(session).messages
        return [block.status for message in messages for block in message.content[-1:]]

    until(lambda: statuses() == [None, "pending"])
    append(path, call("c"))
    desk.transport().end(session)
    # The CLI in a pane that was released goes on.
    status = "cancelled" if origin == "launched" else "pending"
    until(lambda: statuses() == [None, status, status])


def test_a_session_says_which_version_of_its_cli_wrote_its_transcript(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("one"))
    desk.agent.conversations.follow(session, "talk", str(path))
    until(lambda: desk.transport().session(session).cli_version == "7.1")


@pytest.mark.parametrize("what", ["instances", "watches"])
def test_a_conversation_is_followed_though_inotify_is_exhausted(
    office, quick, monkeypatch, caplog, what
):
    def exhausted(*_, **__):
        raise OSError(errno.ENOSPC, "inotify limit reached")

    if what == "instances":
        monkeypatch.setattr(folder_watch, "Observer", exhausted)
    else:
        monkeypatch.setattr(folder_watch.Observer, "schedule", exhausted)
    desk = office.open()
    one = office.start(desk)
    path = office.write("north", note("n1", "go to the north"))
    show(desk, one, "go to the north")
    until(lambda: said(desk, one) == ["n1"])
    append(path, note("n2", "and on"))
    until(lambda: said(desk, one) == ["n1", "n2"])
    until(lambda: "cannot be watched: inotify limit reached" in caplog.text)
