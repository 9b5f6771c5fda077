"""Back after a reboot: lost sessions are resumed once, and nothing that runs is touched."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from demo_testbed import DemoSession, until

from clawtap_core import LaunchRequest
from clawtap_core.errors import ClawTapError
from clawtap_core.model import RestoreOutcome, UsageLimit
from clawtap_core.system.processes import lives


def chat(demo, *messages, **request):
    """A session in which this was said."""
    talk = demo.start("--chat", **request)
    talk.state("idle")
    for number, message in enumerate(messages, 1):
        talk.transport.message(talk.id, message)
        until(lambda count=number: len(talk.logged("idle")) == count)
        talk.state("idle")
    return talk


def lose(demo, *talks):
    """The tmux server dies."""
    demo.tmux("kill-server")
    for talk in talks:
        talk.state("lost")


def outcomes(restored):
    return {each.session.id: (each.outcome.value, each.reason) for each in restored}


def restore(demo, *session_ids, **how):
    return outcomes(demo.transport().restore(session_ids, **how))


def said_by_user(demo, session_id):
    messages = demo.transport().messages(session_id).messages
    return [message.content[0].text for message in messages if message.role == "user"]


def panes(demo):
    found = demo.tmux("list-panes", "-a", "-F", "#{@clawtap_session}", check=False)
    return sorted(filter(None, found.split()))


def test_sessions_of_a_killed_tmux_server_are_resumed_with_what_was_said(demo):
    talk = chat(demo, "the word is heron", permission_mode="plan", model="sage")
    before = talk.session
    lose(demo, talk)
    assert restore(demo) == {talk.id: ("restored", None)}
    talk.state("idle")
    talk.sees("the word is heron")
    after = talk.session
    kept = ("id", "title", "cwd", "channel", "mode", "model", "cli_session_id", "created_at")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    said = talk.transport.messages(talk.id).messages
    assert [message.content[0].text for message in said if message.role == "user"] == [
        "the word is heron"
    ]
    talk.transport.message(talk.id, "and now?")
    until(lambda: talk.messages() == ["the word is heron", "and now?"])


def test_a_dry_run_starts_nothing(demo):
    talk = chat(demo, "hello")
    lose(demo, talk)
    until(lambda: restore(demo, dry_run=True) == {talk.id: ("possible", None)})
    assert panes(demo) == []
    assert talk.session.state.value == "lost"


def test_a_second_restore_does_nothing(demo):
    talk = chat(demo, "hello")
    lose(demo, talk)
    restore(demo)
    assert restore(demo) == {}
    assert restore(demo, dry_run=True) == {}
    assert panes(demo) == [talk.id]


def test_two_calls_at_once_start_each_session_once(demo):
    talks = [chat(demo, "one"), chat(demo, "two")]
    lose(demo, *talks)
    restored = []
    calls = [
        threading.Thread(target=lambda: restored.extend(demo.transport().restore()))
        for _ in range(2)
    ]
    for call in calls:
        call.start()
    for call in calls:
        call.join(30)
    assert sorted(each.session.id for each in restored) == sorted(talk.id for talk in talks)
    assert {each.outcome for each in restored} == {RestoreOutcome.RESTORED}
    assert panes(demo) == sorted(talk.id for talk in talks)


def test_what_runs_and_what_was_ended_is_left_alone(demo):
    ended, left, lost = chat(demo, "one"), chat(demo, "two"), chat(demo, "three")
    ended.transport.end(ended.id)
    left.press("C-d")
    left.state("ended")
    lose(demo, lost)
    runs = chat(demo, "four")
    pane = runs.pane
    assert restore(demo) == {lost.id: ("restored", None)}
    assert panes(demo) == sorted([lost.id, runs.id])
    assert runs.pane == pane
    assert runs.session.state.value == "idle"


@pytest.mark.parametrize("which", ["runs", "ended"])
def test_a_session_that_was_not_lost_is_not_restored(demo, which):
    talk = chat(demo, "hello")
    if which == "ended":
        talk.transport.end(talk.id)
    outcome, reason = restore(demo, talk.id)[talk.id]
    assert outcome == "impossible"
    assert "was not lost" in reason


def test_an_unknown_session_is_refused(demo):
    with pytest.raises(ClawTapError, match="no such session"):
        restore(demo, "nothing")


def test_one_of_several_lost_sessions_is_restored(demo):
    talks = [chat(demo, "one"), chat(demo, "two")]
    lose(demo, *talks)
    assert restore(demo, talks[0].id) == {talks[0].id: ("restored", None)}
    assert talks[1].session.state.value == "lost"


def test_queued_messages_wait_and_are_sent_to_the_resumed_session(demo):
    talk = chat(demo, "hello")
    talk.press("d", "r", "a", "f", "t")
    talk.sees("draft")
    until(lambda: talk.live.seen.draft == "draft")
    talk.transport.message(talk.id, "later")
    assert [each.message for each in talk.transport.queue(talk.id)] == ["later"]
    lose(demo, talk)
    assert talk.session.queued == 1
    restore(demo)
    until(lambda: talk.messages() == ["hello", "later"])
    until(lambda: list(talk.transport.queue(talk.id)) == [])


def test_a_resume_that_was_planned_for_the_end_of_a_limit_comes_after_a_reboot(demo):
    talk = chat(demo, "hello")
    ends_at = demo.agent.store.now() + timedelta(hours=1)
    demo.agent.store.change_session(talk.id, limit=UsageLimit("no more", ends_at))
    talk.transport.resume_later(talk.id, "go on")
    demo.close()
    demo.tmux("kill-server")
    demo.open()
    assert talk.session.limit.resume == "go on"
    restore(demo)
    talk.state("limited")
    assert talk.session.limit.resume == "go on"
    assert talk.messages() == ["hello"]
    over = demo.agent.store.now() - timedelta(hours=1)
    demo.agent.store.change_session(talk.id, limit=replace(talk.session.limit, ends_at=over))
    until(lambda: talk.messages() == ["hello", "go on"])
    assert talk.session.limit is None


def test_a_message_that_was_half_typed_is_typed_whole(demo):
    talk = chat(demo, "hello")
    talk.press("x")
    until(lambda: talk.live.seen.draft == "x")
    queued = talk.transport.message(talk.id, "whole")
    lose(demo, talk)
    typed = {"message": queued.message_id, "text": "whole"}
    demo.agent.store.mark(talk.id, "typed", typed)
    restore(demo)
    until(lambda: talk.messages() == ["hello", "whole"])


def test_after_a_reboot_all_that_ran_is_lost_and_restored(demo):
    talk, ended = chat(demo, "the word is heron"), chat(demo, "bye")
    ended.transport.end(ended.id)
    demo.close()
    demo.tmux("kill-server")
    demo.open()
    assert talk.session.state.value == "lost"
    assert "stopped" in talk.session.detail
    assert restore(demo) == {talk.id: ("restored", None)}
    talk.sees("the word is heron")


@pytest.fixture
def unreachable(demo):
    """Makes the tmux server live on where nobody reaches it; returns its process id."""
    pids = []

    def hide():
        pid, path = demo.tmux("display-message", "-p", "#{pid} #{socket_path}").split()
        Path(path).unlink()
        pids.append(int(pid))
        return pids[0]

    yield hide
    for pid in filter(lives, pids):
        os.kill(pid, signal.SIGTERM)
        until(lambda ended=pid: not lives(ended))


def test_a_tmux_server_that_is_still_ending_is_waited_for(demo, unreachable):
    talk = chat(demo, "the word is heron")
    demo.close()
    server = unreachable()
    demo.open()
    assert talk.session.state.value == "lost"
    assert "stopped" in talk.session.detail
    threading.Timer(0.3, os.kill, (server, signal.SIGTERM)).start()
    assert restore(demo) == {talk.id: ("restored", None)}
    talk.sees("the word is heron")


def test_under_another_tmux_server_what_ran_is_lost(demo, unreachable):
    talk = chat(demo, "hello")
    demo.close()
    unreachable()
    demo.desk(name="new")
    demo.open()
    assert talk.session.state.value == "lost"
    refused(demo, talk, "is still running")


def test_a_tmux_server_that_another_replaces_at_once_is_noticed(demo, unreachable):
    talk = chat(demo, "hello")
    server = unreachable()
    # Their panes have the ids of the old ones.
    desks = {demo.desk(name=name)[0] for name in ("one", "two", "three")}
    assert talk.pane in desks
    os.kill(server, signal.SIGTERM)
    talk.state("lost")
    assert restore(demo) == {talk.id: ("restored", None)}
    assert desks <= set(demo.tmux("list-panes", "-a", "-F", "#{pane_id}").split())


def test_a_pane_that_was_closed_while_clawtap_was_away_is_not_lost(demo):
    talk, other = chat(demo, "hello"), chat(demo, "hi")
    demo.close()
    demo.tmux("kill-pane", "-t", demo.tmux("list-panes", "-a", "-F", "#{pane_id}").split()[0])
    demo.open()
    assert sorted(each.session.state.value for each in (talk, other)) in (
        ["ended", "idle"],
        ["ended", "starting"],
    )
    assert restore(demo) == {}


def test_a_cli_that_was_ended_by_a_signal_is_lost(demo):
    talk = chat(demo, "hello")
    os.kill(talk.live.pane.group, signal.SIGTERM)
    talk.state("lost")
    assert restore(demo) == {talk.id: ("restored", None)}


def test_what_died_between_start_and_record_is_found_by_its_pane(demo):
    talk = chat(demo, "hello")
    lose(demo, talk)
    launch = demo.agent.sessions.terminal.launch

    def dies(*arguments, **how):
        launch(*arguments, **how)
        raise KeyboardInterrupt

    demo.agent.sessions.terminal.launch = dies
    with pytest.raises(KeyboardInterrupt):
        restore(demo)
    demo.agent.sessions.terminal.launch = launch
    outcome, reason = restore(demo)[talk.id]
    assert outcome == "impossible"
    assert "runs in pane" in reason
    assert panes(demo) == [talk.id]


def test_an_adopted_session_is_resumed_in_a_pane_of_ours(demo):
    pane, log = demo.desk("--chat", "--session", "11111111-2222-4333-8444-555555555555")
    talk = demo.adopt(pane, log)
    talk.state("idle")
    talk.transport.message(talk.id, "the word is heron")
    until(lambda: talk.session.cli_session_id)
    talk.state("idle")
    lose(demo, talk)
    assert restore(demo) == {talk.id: ("restored", None)}
    talk.sees("the word is heron")
    assert talk.session.origin == "launched"


# What cannot be restored


def refused(demo, talk, words):
    for how in ({"dry_run": True}, {}):
        outcome, reason = restore(demo, **how)[talk.id]
        assert outcome == "impossible"
        assert words in reason, reason
    assert talk.id not in panes(demo)
    assert talk.session.state.value == "lost"


def test_a_conversation_without_an_id_is_not_guessed(demo):
    talk = chat(demo, "hello")
    demo.agent.conversations.close()  # what is being read now would report the id again
    lose(demo, talk)
    demo.agent.store.change_session(talk.id, cli_session_id=None)
    refused(demo, talk, "did not report the id")


def test_a_session_in_which_nothing_was_said_has_nothing_to_resume(demo):
    talk = chat(demo)
    lose(demo, talk)
    refused(demo, talk, "nothing was said")


def test_a_folder_that_is_gone_is_named(demo, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    log = demo.log_file()
    flags = ("--chat", "--delay", "0", "--log", str(log))
    started = demo.transport().start(LaunchRequest("demo", str(folder), args=flags))
    talk = DemoSession(demo, started.id, log)
    talk.state("idle")
    talk.transport.message(talk.id, "hello")
    until(lambda: talk.logged("idle"))
    lose(demo, talk)
    folder.rmdir()
    refused(demo, talk, "no such folder")


def test_a_conversation_that_another_session_continued_is_left_there(demo):
    talk = chat(demo, "hello")
    lose(demo, talk)
    new = demo.transport().resume(talk.id)
    refused(demo, talk, f"runs in session {new.id}")
    demo.transport().end(new.id)
    refused(demo, talk, f"went on in session {new.id}")


def test_the_title_and_the_queue_of_an_ended_session_go_along_when_it_is_resumed(demo):
    talk = chat(demo, "hello")
    talk.transport.rename(talk.id, "Greetings")
    talk.press("d", "r", "a", "f", "t")
    until(lambda: talk.live.seen.draft == "draft")
    talk.transport.message(talk.id, "later")
    demo.tmux("kill-pane", "-t", talk.session.pane)
    talk.state("ended")
    resumed = demo.transport().resume(talk.id)
    assert resumed.title == "Greetings"
    assert list(talk.transport.queue(talk.id)) == []
    until(lambda: said_by_user(demo, resumed.id) == ["hello", "later"])


def test_a_conversation_that_runs_in_a_pane_of_the_user_is_left_there(demo):
    talk = chat(demo, "hello")
    conversation = talk.session.cli_session_id
    lose(demo, talk)
    pane, _ = demo.desk("--resume", conversation)
    until(lambda: conversation in str(demo.agent.sessions.terminal.panes()))
    refused(demo, talk, f"runs in pane {pane}")


def test_a_cli_that_cannot_resume_is_named(demo, monkeypatch):
    talk = chat(demo, "hello")
    lose(demo, talk)
    adapter = demo.agent.sessions.host.adapter("demo")
    less = replace(adapter.info.capabilities, resume=False)
    monkeypatch.setattr(adapter, "info", replace(adapter.info, capabilities=less))
    refused(demo, talk, "cannot resume")
