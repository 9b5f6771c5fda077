"""Sessions of the channel `protocol`: a CLI that is spoken to, in place of a pane."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from fake_terminal import until
from full_journal import FullJournal
from toy_protocol import SpokenAdapter, SpokenPeer

from clawtap_core import Write, hookimpl
from clawtap_core.errors import Conflict, Impossible, NotFound
from clawtap_core.journal.api import Change
from clawtap_core.model import Kind, Response
from clawtap_core.protocol_io.json_lines import json_line
from clawtap_core.runtime.actions.message_queue import TRIES, MessageQueue
from clawtap_core.runtime.launch_record import remember
from clawtap_core.runtime.protocol.manager import ProtocolSessions
from clawtap_core.runtime.timings import Timings

pytestmark = pytest.mark.process


def test_a_session_starts_without_a_pane_and_becomes_idle(room):
    session = room.transport.session(room.idle(room.start()))
    assert (session.channel, session.pane) == ("protocol", None)
    assert session.cli_session_id.isdecimal()


def test_a_first_message_is_sent_when_the_cli_is_ready(room):
    session = room.start("say:hello")
    until(lambda: room.happened("done"))
    assert [line["message"] for line in room.read() if "message" in line] == ["say:hello"]
    until(lambda: not room.transport.queue(session))


def test_a_message_to_an_idle_session_is_sent_and_one_to_a_busy_one_is_queued(room):
    session = room.idle(room.start())
    assert room.transport.message(session, "ask:one").status == "sent"
    (prompt,) = room.asked(session)
    assert room.state(session) == "waiting"
    assert room.transport.message(session, "say:two").status == "queued"
    room.answer(prompt)
    until(lambda: len(room.happened("done")) == 2)
    assert [line.get("message") for line in room.read()][1:] == ["ask:one", None, "say:two"]


def test_an_answer_reaches_the_cli_and_ends_the_prompt(room):
    session = room.start("ask:it")
    (prompt,) = room.asked(session)
    ended = room.answer(prompt, "no", reason="not today")
    assert ended.state.value == "denied"
    room.idle(session)
    answer = next(line for line in room.read() if "answer" in line)
    assert (answer["option"], answer["reason"]) == ("no", "not today")


def test_the_reason_of_an_approval_is_the_next_message(room):
    session = room.start("ask:it")
    (prompt,) = room.asked(session)
    assert room.answer(prompt, reason="say:but").state.value == "answered"
    until(lambda: [line.get("message") for line in room.read()][-1] == "say:but")


def test_what_a_cli_says_becomes_messages(room):
    events = room.transport.events(idle=5)
    assert next(events).type == "snapshot"
    room.start("say:hello")
    message = next(event for event in events if event is None or event.type == "message")
    assert message.data["content"] == [{"type": "text", "text": "hello"}]


def said(room, session, **place):
    page = room.transport.messages(session, **place)
    return [message.content[0].text for message in page.messages]


def test_who_comes_later_reads_what_a_cli_without_a_transcript_said(room):
    session = room.start("say:one say:two say:three")
    until(lambda: room.happened("done"))
    assert said(room, session) == ["one", "two", "three"]
    last = room.transport.messages(session, limit=1)
    assert last.more
    assert said(room, session, before=last.messages[0].id) == ["one", "two"]
    assert all(message.at for message in last.messages)
    with pytest.raises(NotFound, match="no such message"):
        room.transport.messages(session, before="never said")


def test_a_cli_that_was_resumed_adds_to_what_it_said_before(room):
    session = room.start("say:before exit:3")
    until(lambda: room.state(session) == "ended")
    assert said(room, session) == ["before"]
    room.transport.message(session, "say:after")
    until(lambda: room.happened("done"))
    assert said(room, session) == ["before", "after"]


def test_what_a_removed_session_said_is_gone(room):
    session = room.start("say:hello exit:3")
    until(lambda: room.state(session) == "ended")
    room.transport.end(session)
    with pytest.raises(NotFound):
        room.transport.messages(session)
    assert not room.agent.conversations.reported.page(session, None, None, 9).messages


def test_requests_are_answered_in_any_order(room):
    session = room.start("ask2:a ask2:b ask2:c wait:a wait:b wait:c")
    prompts = room.asked(session, 3)
    for prompt in (prompts[1], prompts[2]):
        room.answer(prompt)
    assert room.state(session) == "waiting"
    room.answer(prompts[0])
    room.idle(session)
    calls = [line["answer"].rpartition("-")[2] for line in room.read() if "answer" in line]
    assert calls == ["2", "3", "1"]


def test_the_first_answer_wins(room):
    session = room.start("ask:it")
    (prompt,) = room.asked(session)

    def try_it(number):
        try:
            return room.answer(prompt)
        except Conflict as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(try_it, range(8)))
    room.idle(session)
    assert sum(not isinstance(result, Conflict) for result in results) == 1
    assert len([line for line in room.read() if "answer" in line]) == 1


def test_what_a_cli_takes_back_is_cancelled_at_once(room):
    session = room.start("ask2:a ask2:b take-back:a wait:b")
    until(lambda: len(room.happened("prompt_resolved")) == 1)
    (cancelled,) = room.happened("prompt_resolved")
    assert cancelled["state"] == "cancelled"
    (prompt,) = room.asked(session)
    assert prompt.form.description == "b"
    with pytest.raises(Conflict):
        room.transport.respond(session, Response(cancelled["requestId"], "yes"))


def test_an_interrupt_cancels_what_is_asked(room):
    session = room.start("ask:it")
    room.asked(session)
    room.transport.interrupt(session)
    room.idle(session)
    assert room.happened("prompt_resolved")[0]["state"] == "cancelled"
    with pytest.raises(Conflict, match="nothing to interrupt"):
        room.transport.interrupt(session)


def test_a_mode_is_switched_and_one_that_the_cli_refuses_is_a_conflict(room):
    session = room.idle(room.start())
    assert room.transport.permission_mode(session, "never").mode == "never"
    with pytest.raises(Conflict, match="not for you"):
        room.transport.permission_mode(session, "ask")
    with pytest.raises(Impossible):
        room.transport.model(session, "big")
    assert [action["mode"] for action in room.happened("action")] == ["never"]


def test_a_session_without_a_screen_says_so(room):
    session = room.idle(room.start())
    for ask in (
        lambda: room.transport.screen(session),
        lambda: room.transport.keys(session, 0, keys=["Enter"]),
    ):
        with pytest.raises(Impossible, match="no screen"):
            ask()


def test_the_cli_hears_that_its_prompt_expired(open_room):
    room = open_room(timeouts={Kind.PERMISSION: 0.2})
    room.start("ask:it")
    until(lambda: room.happened("done"))
    assert room.happened("prompt_resolved")[0]["state"] == "expired"
    answer = next(line for line in room.read() if "answer" in line)
    assert answer["option"] == "no"
    assert answer["reason"].startswith("Tool approval timed out after")


def test_a_cli_that_dies_cancels_what_it_asked_and_says_its_last_words(room):
    session = room.start("ask2:a exit:3")
    until(lambda: room.state(session) == "ended")
    assert room.happened("prompt_resolved")[0]["state"] == "cancelled"
    assert "ended with status 3" in room.transport.session(session).detail
    assert "the last words" in room.transport.session(session).detail


def test_hooks_of_a_cli_with_a_machine_protocol_report_nothing_new(room):
    session = room.transport.session(room.idle(room.start()))
    assert room.agent.protocols.speaks(session.cli_session_id)
    assert not room.agent.protocols.speaks("another")
    assert not room.agent.protocols.speaks("")


def test_a_conversation_is_resumed_in_a_new_session_and_again_when_that_died(room):
    session = room.idle(room.start(resume="77"))
    assert room.transport.session(session).cli_session_id == "77"
    room.transport.message(session, "exit:3")
    until(lambda: room.state(session) == "ended")
    room.transport.message(session, "say:again")
    until(lambda: room.happened("done"))
    assert [request.resume for request in room.adapter.requests] == ["77", "77"]


def test_a_conversation_that_never_began_is_begun_again(room):
    session = room.start()
    room.idle(session)
    remember(room.agent.store, session, begun=False)
    os.kill(int(room.transport.session(session).cli_session_id), signal.SIGKILL)
    until(lambda: room.state(session) == "ended")
    room.transport.message(session, "say:again")
    until(lambda: room.happened("done"))
    assert room.adapter.requests[-1].resume is None


def test_a_message_to_a_session_that_ended_resumes_it(room):
    session = room.start("exit:3")
    until(lambda: room.state(session) == "ended")
    before = room.transport.session(session).cli_session_id
    room.transport.message(session, "say:again")
    until(lambda: room.happened("done"))
    assert room.adapter.requests[-1].resume == before
    assert room.transport.session(session).cli_session_id == before


def test_the_message_that_ended_a_cli_is_not_sent_to_a_successor(room, monkeypatch):
    conclude = MessageQueue._conclude

    def conclude_late(self, *arguments):
        with suppress(AssertionError):
            until(lambda: len(room.adapter.requests) > 1, seconds=0.5)
        conclude(self, *arguments)

    monkeypatch.setattr(MessageQueue, "_conclude", conclude_late)
    session = room.start("exit:3")
    until(lambda: room.happened("message_sent"))
    assert room.state(session) == "ended"
    assert len(room.adapter.requests) == 1


def test_what_was_queued_when_a_cli_died_is_sent_to_its_successor(room):
    session = room.start("ask2:a until-interrupted exit:0")
    room.asked(session)
    room.transport.message(session, "say:later")
    pid = int(room.transport.session(session).cli_session_id)
    os.kill(pid, signal.SIGKILL)
    until(lambda: room.happened("done"))
    assert room.read()[-1]["message"] == "say:later"
    assert "by signal 9" in room.happened("prompt_resolved")[0]["resolution"]["detail"]


def test_a_session_that_is_ended_ends_its_cli_and_is_then_taken_off(room):
    session = room.start("ask:it")
    room.asked(session)
    pid = int(room.transport.session(session).cli_session_id)
    room.transport.end(session)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert room.state(session) == "ended"
    assert room.happened("prompt_resolved")[0]["state"] == "cancelled"
    room.transport.end(session)
    with pytest.raises(NotFound):
        room.transport.session(session)


def test_broken_and_unknown_lines_do_no_harm_and_broken_ones_are_reported(room):
    session = room.start("broken unknown unknown:rubbish ask:it")
    (prompt,) = room.asked(session)
    assert {error["code"] for error in room.happened("session_error")} == {"not_understood"}
    room.answer(prompt)
    room.idle(session)


def test_after_a_restart_prompts_are_cancelled_and_sessions_go_on(open_room):
    first = open_room()
    session = first.start("ask:it")
    first.asked(session)
    known = first.transport.session(session).cli_session_id
    second = open_room(first.journal)  # the first one did not get to close: kill -9
    assert second.state(session) == "lost"
    assert second.happened("prompt_resolved")[0]["state"] == "cancelled"
    second.transport.message(session, "say:on")
    until(lambda: second.happened("done"))
    assert second.adapter.requests[-1].resume == known


def test_what_an_older_version_remembered_of_a_session_starts_it_again(open_room):
    first = open_room()
    session = first.idle(first.start(args=("--fast",)))
    known = first.transport.session(session).cli_session_id
    remembered = first.journal.kept().markers[session, "launch"]
    older = {key: remembered[key] for key in ("args", "begun")} | {"model": "best"}
    first.journal.append(
        [], Change(markers={(session, "launch"): None, (session, "protocol"): older})
    )
    second = open_room(first.journal)
    (restored,) = second.transport.restore()
    assert restored.outcome.value == "restored"
    second.idle(session)
    request = second.adapter.requests[-1]
    assert (request.resume, request.args, request.model) == (known, ("--fast",), "best")
    second.transport.end(session)
    second.transport.message(session, "say:on")
    until(lambda: second.happened("done"))
    assert second.adapter.requests[-1] == request


def test_what_spoke_when_clawtap_died_is_restored_once_and_gets_its_queue(open_room):
    first = open_room()
    session = first.start("ask:it")
    first.asked(session)
    first.transport.message(session, "say:on")
    known = first.transport.session(session).cli_session_id
    second = open_room(first.journal)  # the first one did not get to close: kill -9
    (planned,) = second.transport.restore(dry_run=True)
    assert (planned.session.id, planned.outcome.value) == (session, "possible")
    assert second.state(session) == "lost"
    (restored,) = second.transport.restore()
    assert restored.outcome.value == "restored"
    until(lambda: second.happened("done"))
    assert second.adapter.requests[-1].resume == known
    until(lambda: list(second.transport.queue(session)) == [])
    assert list(second.transport.restore()) == []


def test_a_usage_limit_ends_when_its_text_says_and_messages_wait(room):
    session = room.idle(room.start())
    room.transport.message(session, "limit")
    until(lambda: room.state(session) == "limited")
    limit = room.transport.session(session).limit
    assert limit.ends_at > room.agent.store.now()
    assert limit.ends_at.astimezone().strftime("%H:%M") == "15:10"
    assert room.transport.message(session, "say:later").status == "queued"
    assert "say:later" not in str(room.read())


def test_a_cli_that_lost_its_conversation_is_restored_without_it(open_room):
    first = open_room()
    session = first.idle(first.start(args=("forgetful",)))
    second = open_room(first.journal)
    (restored,) = second.transport.restore()
    assert restored.outcome.value == "without_conversation"
    assert restored.reason == "no such conversation"
    second.idle(session)
    assert [each["code"] for each in second.happened("session_error")] == ["not_resumed"]


@pytest.mark.parametrize("how", ["silent", "refusing", "exiting"])
def test_nothing_is_called_restored_before_its_cli_is_ready(open_room, how):
    first = open_room()
    session = first.idle(first.start())
    launch = {**first.journal.kept().markers[session, "launch"], "args": [how]}
    first.journal.append([], Change(markers={(session, "launch"): launch}))
    second = open_room(first.journal, timings=Timings(protocol_restores=0.5))
    (restored,) = second.transport.restore()
    assert restored.outcome.value == ("starting" if how == "silent" else "impossible")
    assert restored.reason


def test_a_cli_that_is_gone_before_anybody_looks_is_not_called_restored(open_room, monkeypatch):
    first = open_room()
    session = first.idle(first.start())
    launch = {**first.journal.kept().markers[session, "launch"], "args": ["exiting"]}
    first.journal.append([], Change(markers={(session, "launch"): launch}))
    second = open_room(first.journal)
    resume = ProtocolSessions.resume

    def resume_and_end(self, session_id):
        resume(self, session_id)
        until(lambda: second.transport.session(session_id).state.over)

    monkeypatch.setattr(ProtocolSessions, "resume", resume_and_end)
    (restored,) = second.transport.restore()
    assert restored.outcome.value == "impossible"
    assert restored.reason


def test_a_program_that_is_not_there_leaves_nothing_behind(room, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(Impossible, match="not installed"):
        room.start("hello")
    assert room.transport.sessions() == []


@pytest.mark.timeout(120)
def test_fifty_sessions_at_once_lose_nothing_and_answer_nothing_twice(room):
    sessions = [room.start("ask2:a ask2:b wait:a wait:b ask:c") for _ in range(50)]
    answered = set()
    lock = threading.Lock()

    def answer_all(session):
        for _ in range(3):
            until(lambda: room.transport.pending(session), 60)
            prompt = room.transport.pending(session)[0]
            room.answer(prompt)
            with lock:
                answered.add(prompt.request_id)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(answer_all, sessions))
    until(lambda: len(room.happened("done")) == 50, 60)
    answers = [line["answer"] for line in room.read() if "answer" in line]
    assert len(answered) == 150
    assert len(answers) == len(set(answers)) == 150
    assert {one["state"] for one in room.happened("prompt_resolved")} == {"answered"}


def test_a_mode_that_was_switched_is_reported_as_such_although_the_disk_is_full(open_room):
    journal = FullJournal()
    room = open_room(journal=journal)
    session = room.idle(room.start())
    journal.full = True
    assert room.transport.permission_mode(session, "never").mode == "never"
    journal.full = False
    room.agent.store.mark(session, "any", 1)
    assert [action["mode"] for action in room.happened("action")] == ["never"]


class Unwilling(SpokenPeer):
    """Sends what this CLI always refuses."""

    def message(self, text):
        return Write(json_line({"mode": "ask"}), "mode")


class UnwillingAdapter(SpokenAdapter):
    @hookimpl
    def open_protocol(self, request):
        return Unwilling()


def test_a_message_that_the_cli_refuses_is_tried_a_few_times_and_then_reported(open_room, tmp_path):
    adapter = UnwillingAdapter(tmp_path / "log")
    room = open_room(adapter=adapter, timings=Timings(queue_retry=0.05))
    session = room.idle(room.start())
    assert room.transport.message(session, "hello").status == "queued"
    until(lambda: not room.transport.queue(session))
    (error,) = room.happened("session_error")
    assert error["code"] == "message_not_typed"
    assert error["error"] == "the CLI refused this: this mode is not for you: hello"
    assert len([line for line in room.read() if "mode" in line]) == TRIES
    assert room.state(session) == "idle"
