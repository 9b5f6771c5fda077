"""What is written into a transcript becomes events."""

from __future__ import annotations

import json
import threading
import time
from datetime import datetime, timezone

from fake_terminal import until
from full_journal import FullJournal
from toy_conversations import said, show
from toy_transcripts import append, note, write

from clawtap_core import Block, Message
from clawtap_core.runtime.conversations import follower, service
from clawtap_core.runtime.conversations.conversation_events import message_events


def test_what_is_written_becomes_events_at_once(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: said(desk, session))
    events = desk.transport().events(idle=0.1)
    assert next(events).type == "snapshot"
    append(path, note("b", "well?", "assistant"), note("failed", "no"))
    seen = {}
    for event in events:
        if event:
            seen[event.type] = event.data
        if {"message", "status_update", "session_error"} <= seen.keys():
            break
    events.close()
    assert seen["message"]["content"] == [{"type": "text", "text": "no"}]
    assert seen["status_update"]["contextPercent"] == 25.0
    assert seen["session_error"]["code"] == "rate_limited"
    kept = [event.type for event in office.journal.read(0, 100)]
    assert "session_error" in kept
    assert "message" not in kept


def test_an_error_that_was_written_while_the_disk_is_full_is_reported(office):
    office.journal = FullJournal()
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: said(desk, session))
    office.journal.full = True
    append(path, note("b", "well?", "assistant"), note("failed", "no"))
    until(lambda: len(said(desk, session)) == 3)
    office.journal.full = False
    desk.agent.store.mark(session, "any", 1)
    errors = [event for event in office.journal.read(0, 100) if event.type == "session_error"]
    assert [error.data["code"] for error in errors] == ["rate_limited"]


def reported_messages(desk, events, last):
    """The ids of the messages in the stream, up to this one."""
    found, end = [], time.monotonic() + 60
    for event in events:
        assert time.monotonic() < end, f"only {found}"
        if event and event.type == "message":
            found.append(event.data["id"])
        if last in found:
            return found
    return found


def test_a_session_is_looked_at_though_another_is_written_all_the_time(office, quick, monkeypatch):
    monkeypatch.setattr(service.Watcher, "add", lambda self, folder: None)
    desk = office.open()
    north, south = office.write("north", note("n")), office.write("south", note("s"))
    noisy, quiet = office.start(desk), office.start(desk)
    follow = desk.agent.conversations.follow
    follow(noisy, "north", str(north))
    follow(quiet, "south", str(south))
    events = desk.transport().events(idle=0.01)
    next(events)
    over = threading.Event()

    def keep_writing():
        while not over.wait(0.005):
            follow(noisy, "north", str(north))

    thread = threading.Thread(target=keep_writing)
    thread.start()
    try:
        for path, name in ((north, "heard"), (south, "next")):
            append(path, note(name))
            reported_messages(desk, events, name)
    finally:
        over.set()
        thread.join()
    events.close()


def removed_by(desk, events):
    """The ids in the next event about removed messages."""
    end = time.monotonic() + 5
    for event in events:
        assert time.monotonic() < end
        if event and event.type == "messages_removed":
            return event.data["messageIds"]
    return []


def test_messages_that_a_rewind_removes_are_reported(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a"), note("b"), note("c", "", "assistant"))
    desk.agent.conversations.follow(session, "talk", str(path))
    events = desk.transport().events(idle=0.01)
    next(events)
    append(path, note("back to b"))
    assert removed_by(desk, events) == ["b", "c"]
    assert said(desk, session) == ["a"]
    events.close()


def test_messages_that_a_replaced_file_lacks_are_reported(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a"), note("b"), note("c"))
    desk.agent.conversations.follow(session, "talk", str(path))
    events = desk.transport().events(idle=0.01)
    next(events)
    write(path.with_suffix(".new"), note("a"), note("d")).replace(path)
    assert removed_by(desk, events) == ["b", "c"]
    events.close()


def test_of_a_long_file_that_is_rewritten_no_old_message_is_reported_again(office, monkeypatch):
    monkeypatch.setattr(follower, "KEEP", 5)
    desk = office.open()
    session = office.start(desk)
    lines = [note(f"m{number}") for number in range(20)]
    path = write(office.home / "talk.json", *lines)
    desk.agent.conversations.follow(session, "talk", str(path))
    events = desk.transport().events(idle=0.01)
    next(events)
    write(path.with_suffix(".new"), *lines, note("new")).replace(path)
    assert reported_messages(desk, events, "new") == ["new"]
    events.close()
    assert said(desk, session, limit=5) == ["m16", "m17", "m18", "m19", "new"]
    assert said(desk, session, before="m16", limit=2) == ["m14", "m15"]


def test_a_transcript_that_breaks_does_not_stop_the_session(office, caplog):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"))
    desk.agent.conversations.follow(session, "talk", str(path))
    path.unlink()
    desk.agent.conversations.follow(session, "talk", str(path))
    until(lambda: "cannot be read" in caplog.text)
    assert said(desk, session) == ["a"]
    office.write("talk", note("a", "hello"), note("b"))
    until(lambda: "b" in said(desk, session))


def test_unreadable_lines_are_logged_once_with_the_cli_and_again_when_there_are_many_more(
    office, caplog
):
    def logged():
        return [each.message for each in caplog.records if "no record" in each.message]

    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"), b"{broken\n", b"[]\n")
    desk.agent.conversations.follow(session, "talk", str(path))
    assert said(desk, session) == ["a"]
    (entry,) = logged()
    assert entry == (
        f"a line that is no record, in transcript {str(path)!r} by Toy 7.1 (adapter toy): 2 so far"
    )
    append(path, *[b"{broken\n"] * 17, note("b"))
    until(lambda: said(desk, session) == ["a", "b"])
    assert logged() == [entry]
    append(path, b"{broken\n", note("c"))
    until(lambda: said(desk, session) == ["a", "b", "c"])
    assert [each.endswith(": 20 so far") for each in logged()] == [False, True]
    desk.transport().end(session)
    assert said(desk, session) == ["a", "b", "c"]
    assert len(logged()) == 2


def test_calls_and_results_are_reported_as_they_come():
    noon = datetime(2026, 1, 1, tzinfo=timezone.utc)
    use = Block("tool_use", "", "c1", "Shell", {"command": "ls"}, "pending")
    before = Message("m", "assistant", (Block("thinking", "hm"), use))
    kinds = [event.type for event in message_events("s", (None, before), noon)]
    assert kinds == ["thinking", "tool_call_start", "message"]
    done = Block("tool_use", "", "c1", "Shell", {"command": "ls"}, "success")
    result = Block("tool_result", "README", "c1", "Shell", None, "success")
    after = Message("m", "assistant", (Block("thinking", "hm"), done, result))
    events = list(message_events("s", (before, after), noon))
    assert [event.type for event in events] == ["tool_call_end", "tool_result", "message"]
    assert json.loads(events[1].json)["text"] == "README"
