"""A session finds its transcript, follows it, and finds it again."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, make_adapter, until
from toy_transcripts import Notes, append, note, write

from clawtap_core import (
    AgentEvent,
    Block,
    HookReport,
    LaunchRequest,
    Message,
    Parsed,
    SessionState,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)
from clawtap_core.errors import NotFound
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.runtime import Runtime
from clawtap_core.runtime.conversations import follower, service
from clawtap_core.runtime.timings import Timings


@hookimpl
def transcript_sources(env, cwd):
    root = env["HOME"] + "/notes"
    return [
        TranscriptSource(root, "**/*.jsonl"),
        TranscriptSource(root, "**/*.json", rewritten=True),
    ]


@hookimpl
def describe_transcript(path, head):
    name = path.rsplit("/", 1)[-1].partition(".")[0]
    return TranscriptInfo(name, cwd_file="folder", title=name, version="7.1")


@hookimpl
def parse_transcript(data, state):
    parsed = Notes()(data, state)
    events = tuple(
        AgentEvent("status_update", {"model": "swift", "contextTokens": 10, "contextWindow": 40})
        for message in parsed.messages
        if message.role == "assistant"
    )
    failed = tuple(
        AgentEvent("session_error", {"error": "too much", "code": "rate_limited"})
        for message in parsed.messages
        if message.id == "failed"
    )
    summed = tuple(
        AgentEvent("status_update", {"summary": "all about the north"})
        for message in parsed.messages
        if message.id == "summed"
    )
    told, skipped = (*events, *failed, *summed), parsed.skipped
    why = {"a line that is no record": skipped} if skipped else {}
    rewound = [message.id for message in parsed.messages if message.id.startswith("back to ")]
    kept = tuple(message for message in parsed.messages if message.id not in rewound)
    gone = tuple(name.removeprefix("back to ") for name in rewound)
    return Parsed(parsed.consumed, parsed.state, kept, told, skipped, why, removed_from=gone)


@hookimpl
def state_file(env, pid):
    return f"{env['HOME']}/{pid}.state"


@hookimpl
def parse_state_file(data):
    name, state = data.decode().split()
    return HookReport(cli_session_id=name, state=SessionState(state))


@pytest.fixture
def office(tmp_path):
    """Opens desks whose CLI writes transcripts; `home` is where."""
    adapter = make_adapter()
    for hook in (
        transcript_sources,
        describe_transcript,
        parse_transcript,
        state_file,
        parse_state_file,
    ):
        setattr(adapter, hook.__name__, hook)
    host = Host()
    host.add(adapter, "toy")
    opened = []

    class Office:
        home = tmp_path / "notes"
        project = tmp_path / "proj"
        journal = MemoryJournal()
        terminal = FakeTerminal()
        timings = Timings()

        def open(self):
            agent = Runtime(
                host,
                self.terminal,
                self.journal,
                env={"HOME": str(tmp_path)},
                timings=self.timings,
            )
            opened.append(agent)
            return Desk(self.terminal, self.journal, agent)

        def start(self, desk, toy=None):
            self.terminal.program = toy or Toy()
            session = desk.transport().start(LaunchRequest("toy", str(self.project)))
            return session.id

        def write(self, name, *lines):
            write(self.home / "folder", str(self.project).encode())
            return write(self.home / f"{name}.jsonl", *lines)

    Office.project.mkdir()
    yield Office()
    for agent in opened:
        agent.close()


def said(desk, session_id, **query):
    page = desk.transport().messages(session_id, **query)
    return [message.id for message in page.messages]


def show(desk, session_id, *history):
    """The CLI paints what was said."""
    pane = desk.terminal.watched[desk.transport().session(session_id).pane]
    pane.program.history.extend(history)
    pane.look()


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


@pytest.fixture
def quick(office):
    """What is looked at from time to time is looked at often."""
    office.timings = Timings(transcript_check=0.05, file_clock_slack=0.1)


def old(path):
    """Nothing was written into a transcript for a minute."""
    os.utime(path, (time.time() - 60, time.time() - 60))


def test_a_conversation_begun_anew_at_the_desk_is_followed_though_the_cli_does_not_say_so(
    office, quick
):
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


@pytest.mark.parametrize(("told", "state"), [("busy", "busy"), ("waiting", "waiting")])
def test_a_screen_nobody_knows_is_no_prompt_while_the_cli_says_that_it_is_busy(office, told, state):
    desk = office.open()
    toy = Toy()
    one = office.start(desk, toy)
    (office.home.parent / "7.state").write_text(f"north {told}")
    toy.odd = "A new way to say that it works"
    show(desk, one)
    until(lambda: desk.transport().session(one).state is SessionState(state))
    assert len(desk.transport().pending()) == (state == "waiting")


@pytest.mark.parametrize("data", [b"", b"no such thing", b"\xff" * 99, b"north bogus"])
def test_a_state_file_that_says_nothing_changes_nothing(office, data):
    desk = office.open()
    one = office.start(desk)
    (office.home.parent / "7.state").write_bytes(data)
    office.write("north", note("n1", "go north"))
    show(desk, one, "go north")
    assert until(lambda: said(desk, one)) == ["n1"]


def test_a_pipe_in_place_of_the_state_file_holds_nobody_up(office):
    os.mkfifo(office.home.parent / "7.state")
    desk = office.open()
    session = office.start(desk)
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    assert until(lambda: said(desk, session)) == ["a"]


def test_a_session_is_bound_to_the_transcript_whose_words_stand_on_its_screen(office):
    desk = office.open()
    one, two = office.start(desk), office.start(desk)
    office.write("north", note("n1", "go north"), note("n2", "I hear you", "assistant"))
    office.write("south", note("s1", "go south"), note("s2", "I hear you", "assistant"))
    show(desk, one, "go north", "I hear you")
    show(desk, two, "go south", "I hear you")
    assert until(lambda: said(desk, one)) == ["n1", "n2"]
    assert until(lambda: said(desk, two)) == ["s1", "s2"]
    assert desk.transport().session(one).cli_session_id == "north"
    assert [event.type for event in office.journal.read(0, 100)].count("session_rekeyed") == 2


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


def messages_told(desk, events, last):
    """The ids of the messages that the stream tells of, up to one of them."""
    found, end = [], time.monotonic() + 20
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
        for path, name in ((north, "heard"), (south, "told")):
            append(path, note(name))
            messages_told(desk, events, name)
    finally:
        over.set()
        thread.join()
    events.close()


def removed_by(desk, events):
    """The ids of the messages of the next event that tells of removed ones."""
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


def test_of_a_long_file_that_is_rewritten_no_old_message_is_told_again(office, monkeypatch):
    monkeypatch.setattr(follower, "KEEP", 5)
    desk = office.open()
    session = office.start(desk)
    lines = [note(f"m{number}") for number in range(20)]
    path = write(office.home / "talk.json", *lines)
    desk.agent.conversations.follow(session, "talk", str(path))
    events = desk.transport().events(idle=0.01)
    next(events)
    write(path.with_suffix(".new"), *lines, note("new")).replace(path)
    assert messages_told(desk, events, "new") == ["new"]
    events.close()
    assert said(desk, session, limit=5) == ["m16", "m17", "m18", "m19", "new"]
    assert said(desk, session, before="m16", limit=2) == ["m14", "m15"]


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


def test_an_ended_session_can_still_be_read_and_is_in_the_history(office):
    desk = office.open()
    session = office.start(desk)
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: said(desk, session))
    until(lambda: desk.transport().history()[0].session_id == session)
    desk.transport().end(session)
    assert said(desk, session) == ["a"]
    (stored,) = desk.transport().history(cwd=str(office.project))
    assert (stored.cli_session_id, stored.title, stored.session_id) == ("talk", "talk", None)
    page = desk.transport().stored("toy", "talk").page
    assert [message.id for message in page.messages] == ["a"]


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_the_history_has_the_latest_model_and_the_summary(office, suffix):
    desk = office.open()
    lines = [note("a", "hello"), note("b", "hi", role="assistant")]
    path = office.write("talk", *lines)
    if suffix == "json":
        path = path.rename(path.with_suffix(".json"))
    (stored,) = desk.transport().history()
    assert (stored.model, stored.summary) == ("swift", None)
    write(path, *lines, note("summed"))
    (stored,) = desk.transport().history()
    assert (stored.model, stored.summary) == ("swift", "all about the north")
    assert desk.transport().stored("toy", "talk").session == stored


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


def test_pages_go_back_and_forth(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", *(note(f"m{n}") for n in range(120)))
    desk.agent.conversations.follow(session, "talk", str(path))
    assert said(desk, session, limit=2) == ["m118", "m119"]
    assert said(desk, session, before="m118", limit=2) == ["m116", "m117"]
    assert said(desk, session, after="m117") == ["m118", "m119"]
    assert desk.transport().messages(session, before="m2", limit=5).more is False
    with pytest.raises(NotFound) as refused:
        said(desk, session, before="nobody")
    assert refused.value.code == "message_not_found"


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


def test_what_nobody_could_read_is_told_once_with_the_cli_and_again_when_it_is_much_more(
    office, caplog
):
    def told():
        return [each.message for each in caplog.records if "no record" in each.message]

    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("a", "hello"), b"{broken\n", b"[]\n")
    desk.agent.conversations.follow(session, "talk", str(path))
    assert said(desk, session) == ["a"]
    (entry,) = told()
    assert entry == (
        f"a line that is no record, in transcript {str(path)!r} by Toy 7.1 (adapter toy): 2 so far"
    )
    append(path, *[b"{broken\n"] * 17, note("b"))
    until(lambda: said(desk, session) == ["a", "b"])
    assert told() == [entry]
    append(path, b"{broken\n", note("c"))
    until(lambda: said(desk, session) == ["a", "b", "c"])
    assert [each.endswith(": 20 so far") for each in told()] == [False, True]
    desk.transport().end(session)
    assert said(desk, session) == ["a", "b", "c"]
    assert len(told()) == 2


def test_calls_and_results_are_told_as_they_come():
    from datetime import datetime, timezone

    from clawtap_core.runtime.conversations.conversation_events import message_events

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


def test_a_session_says_which_version_of_its_cli_wrote_its_transcript(office):
    desk = office.open()
    session = office.start(desk)
    path = office.write("talk", note("one"))
    desk.agent.conversations.follow(session, "talk", str(path))
    until(lambda: desk.transport().session(session).cli_version == "7.1")
