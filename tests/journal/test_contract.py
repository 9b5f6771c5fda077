"""What every journal does, whatever it is written on."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from clawtap_core.errors import BadRequest
from clawtap_core.journal import Change
from clawtap_core.model import (
    Event,
    Kind,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    Resolution,
    Response,
    SessionState,
)


def seqs(events):
    return [event.seq for event in events]


def fields(event):
    return event.type, event.at, event.session_id, event.data, event.seq


def test_a_new_journal_is_empty_and_has_an_epoch(journal):
    assert journal.last == 0
    assert journal.epoch.isalnum()
    assert journal.read() == []
    assert journal.kept().sessions == journal.kept().prompts == journal.kept().queue == ()
    assert journal.kept().markers == {}


def test_events_are_numbered_from_one_in_the_order_of_writing(journal, make):
    first = journal.append([make.event(), make.event()])
    second = journal.append([make.event()])
    assert seqs(first) + seqs(second) == [1, 2, 3]
    assert journal.last == 3


def test_events_are_read_as_they_were_written(journal, make):
    written = journal.append([make.event("done", "s1", 1), make.event("message", None, 2)])
    assert [fields(event) for event in journal.read()] == [fields(event) for event in written]


def test_the_latest_events_are_read_page_by_page(journal, make):
    written = [
        make.event("done" if number % 3 else "asked", f"s{number % 2}") for number in range(9)
    ]
    journal.append(written)
    assert seqs(journal.latest(limit=4)) == [9, 8, 7, 6]
    assert seqs(journal.latest(6, limit=4)) == [5, 4, 3, 2]
    assert seqs(journal.latest(2)) == [1]
    assert journal.latest(1) == []
    assert seqs(journal.latest(10**15, limit=1)) == [9]
    assert seqs(journal.latest(types=("asked",))) == [7, 4, 1]
    assert seqs(journal.latest(7, types=("asked", "no such"), limit=1)) == [4]
    assert seqs(journal.latest(session_id="s1", types=("done",))) == [8, 6, 2]


def test_rare_events_are_found_far_back(journal, make):
    journal.append([make.event("rare"), *(make.event() for _ in range(4500))])
    assert seqs(journal.latest(types=("rare",))) == [1]
    assert journal.latest(types=("none",)) == []


def test_an_empty_journal_has_no_latest_events(journal):
    assert journal.latest() == []


def test_a_written_event_is_not_encoded_again(journal, make):
    event = make.event()
    (written,) = journal.append([event])
    assert written.json is event.json


def test_reading_goes_on_after_a_number_within_a_limit_and_for_one_session(journal, make):
    journal.append([make.event(session=name) for name in ("s1", "s2", None, "s1", "s2")])
    assert seqs(journal.read(2)) == [3, 4, 5]
    assert seqs(journal.read(1, 2)) == [2, 3]
    assert seqs(journal.read(0, 200, "s1")) == [1, 4]
    assert seqs(journal.read(1, 1, "s2")) == [2]
    assert journal.read(5) == []


def test_what_is_kept_is_read_in_the_order_in_which_it_came(journal, make):
    sessions = (make.session("s2"), make.session("s1"))
    journal.append(
        [make.event()],
        Change(
            (*sessions, make.prompt("p2"), make.prompt("p1"), make.message()),
            markers={("s1", "a"): [1]},
        ),
    )
    kept = journal.kept()
    assert kept.sessions == sessions
    assert kept.prompts == (make.prompt("p2"), make.prompt("p1"))
    assert kept.queue == (make.message(),)
    assert kept.markers == {("s1", "a"): [1]}


def test_a_later_value_replaces_the_earlier_one_in_its_place(journal, make):
    journal.append([], Change((make.message("m1"), make.message("m2"))))
    edited = replace(make.message("m1"), message="other")
    journal.append([], Change((edited,)))
    assert journal.kept().queue == (edited, make.message("m2"))


def test_what_is_dropped_is_gone_and_nothing_else(journal, make):
    journal.append([], Change((make.session(), make.message("m1"), make.message("m2"))))
    journal.append([], Change(delete=(make.session(), make.message("m1"), make.message("m9"))))
    assert journal.kept().sessions == ()
    assert journal.kept().queue == (make.message("m2"),)


def test_a_marker_of_none_is_deleted_and_no_other(journal):
    markers = {("s1", "a"): 1, ("s2", "a"): 2, ("s1", "b"): {"c": None}}
    journal.append([], Change(markers=markers))
    journal.append([], Change(markers={("s1", "a"): None, ("s9", "z"): None}))
    assert journal.kept().markers == {("s2", "a"): 2, ("s1", "b"): {"c": None}}


def test_only_open_prompts_are_kept_but_ended_ones_are_found(journal, make):
    answering = replace(make.prompt("p2"), state=PromptState.ANSWERING)
    journal.append([], Change((make.ended("p1"), answering)))
    assert journal.kept().prompts == (answering,)
    assert journal.prompt("p1") == make.ended("p1")
    assert journal.prompt("p9") is None


def test_a_prompt_is_found_by_its_tool_call_id_the_open_one_before_all(journal, make):
    journal.append([], Change((make.ended("p1", "call"), make.ended("p2", "call"))))
    assert journal.prompt("call") == make.ended("p2", "call")
    journal.append([], Change((make.prompt("p0", "call"), make.ended("p3", "call"))))
    assert journal.prompt("call") == make.prompt("p0", "call")
    assert journal.prompt("p1") == make.ended("p1", "call")


def test_a_prompt_comes_back_with_what_is_not_on_the_wire(journal, make):
    journal.append([], Change((make.prompt(),)))
    (kept,) = journal.kept().prompts
    assert kept == make.prompt()
    assert (kept.form.subject, kept.form.dialog, kept.form.top) == (
        "rm -r build",
        "folder-trust",
        3,
    )


def test_answers_to_secret_questions_are_not_kept(journal, make):
    form = PromptForm(Kind.QUESTION, "Log in", questions=(Question("Password?", secret=True),))
    response = Response("p1", answers={"0": "hunter2"})
    resolution = Resolution(PromptState.ANSWERED, "user", "phone", make.at(0), response)
    ended = Prompt("p1", "s1", "terminal", form, make.at(0), PromptState.ANSWERED, None, resolution)
    journal.append([], Change((ended,)))
    found = journal.prompt("p1")
    assert found is not None
    assert found.resolution.response.answers == {}


def test_a_prompt_of_rubbish_is_refused_and_nothing_is_written(journal, make):
    rubbish = replace(make.prompt(), form=PromptForm(Kind.PERMISSION, None))  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="p1 cannot be kept"):
        journal.append([make.event()], Change((make.session(), rubbish)))
    assert journal.last == 0
    assert journal.read() == []
    assert journal.kept().sessions == ()


def test_events_that_are_no_json_are_made_json(journal, make):
    odd = Event("x", make.at(0), "s1", {"cut": "\ud83d", "at": make.at(0), "many": (1, 2)})
    journal.append([odd])
    (read,) = journal.read()
    assert read.data == {"cut": "\ufffd", "at": str(make.at(0)), "many": [1, 2]}
    json.loads(read.json.encode())


def test_a_moment_of_another_zone_is_the_same_moment(journal, make):
    elsewhere = make.at(0).astimezone(timezone(timedelta(hours=5, minutes=30)))
    journal.append([Event("x", elsewhere)])
    assert journal.read()[0].at == make.at(0)


def test_old_events_are_forgotten_and_numbers_go_on(journal, make):
    journal.append([make.event(minute=minute) for minute in range(10)])
    assert journal.prune(make.at(4)) == 4
    assert seqs(journal.read()) == [5, 6, 7, 8, 9, 10]
    assert seqs(journal.append([make.event()])) == [11]


def test_no_more_events_are_kept_than_wanted(journal, make):
    journal.append([make.event(minute=minute) for minute in range(10)])
    assert journal.prune(make.at(-60), most=3) == 7
    assert seqs(journal.read()) == [8, 9, 10]


def test_the_last_event_stays_so_that_no_number_is_given_twice(journal, make):
    journal.append([make.event(minute=minute) for minute in range(3)])
    assert journal.prune(make.at(99), most=0) == 2
    assert seqs(journal.read()) == [3]
    assert journal.prune(make.at(99)) == 0
    assert journal.last == 3


def test_a_clock_that_went_back_makes_no_hole(journal, make):
    journal.append([make.event(minute=minute) for minute in (5, 1, 6)])
    assert journal.prune(make.at(4)) == 0
    assert seqs(journal.read()) == [1, 2, 3]


def test_nothing_to_forget_is_no_error(journal, make):
    assert journal.prune(make.at(0), most=10) == 0


def test_what_is_open_alive_or_queued_is_never_forgotten(journal, make):
    over = make.session("s0", SessionState.ENDED, minute=-9)
    lately = make.session("s9", SessionState.LOST, minute=50)
    journal.append(
        [],
        Change(
            (over, lately, make.session("s1"), make.prompt("p1"), make.ended("p2"), make.message())
        ),
    )
    journal.prune(make.at(30), most=1)
    kept = journal.kept()
    assert kept.sessions == (lately, make.session("s1"))
    assert kept.prompts == (make.prompt("p1"),)
    assert kept.queue == (make.message(),)
    assert journal.prompt("p2") is None


def test_many_threads_write_and_read_at_once(journal, make):
    failures = []

    def work(name):
        try:
            for number in range(40):
                message = make.message(f"{name}-{number}")
                journal.append([make.event(session=name), make.event()], Change((message,)))
                mine = journal.read(0, 500, name)
                assert len(mine) == number + 1
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert seqs(journal.read(0, 1000)) == list(range(1, 6 * 40 * 2 + 1))
    assert len(journal.kept().queue) == 6 * 40


def test_an_old_moment_can_be_pruned_before(journal, make):
    journal.append([make.event()])
    assert journal.prune(datetime(1926, 1, 1, tzinfo=timezone.utc)) == 0
