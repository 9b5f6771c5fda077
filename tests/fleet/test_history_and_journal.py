"""History and journal over all machines: one list, newest first, page by page."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import threading
import time
from datetime import datetime, timedelta, timezone

import pytest
from fleet_pages import choice, gone
from hypothesis import given
from hypothesis import strategies as st
from patience import until
from toy_fleet import meet, start
from toy_transcripts import note, write

from clawtap_core.errors import BadRequest, ClawTapError
from clawtap_core.fleet.merged_pages import EVENTS, merge, read_places, write_places
from clawtap_core.model import Event, Rule, RuleDecision, SessionState

redis = pytest.mark.redis
NOON = datetime(2026, 11, 23, 12, tzinfo=timezone.utc)


# The merge alone


def page_by_page(journals, limit, between=lambda number: None):
    """All pages of several journals of events, oldest first, as (machine, seq)."""
    cursor, pages = None, []
    while True:
        places = read_places(cursor)
        pages_of_machines = {}
        for machine, journal in journals.items():
            before = int(places.get(machine, 10**9))
            left = [event for event in reversed(journal) if event.seq < before]
            pages_of_machines[machine] = left[:limit], len(left) > limit
        taken, cursor = merge(EVENTS, pages_of_machines, places, limit)
        pages.append([(machine, event.seq) for machine, event in taken])
        if cursor is None:
            return pages
        between(len(pages))


def journal_of(minutes):
    return [
        Event("done", NOON + timedelta(minutes=minute), seq=seq)
        for seq, minute in enumerate(sorted(minutes), start=1)
    ]


@given(
    st.dictionaries(st.sampled_from("abcd"), st.lists(st.integers(0, 30), max_size=12)),
    st.integers(1, 5),
)
def test_each_event_comes_once_and_newest_first_whatever_the_machines_have(minutes, limit):
    journals = {machine: journal_of(each) for machine, each in minutes.items()}
    pages = page_by_page(journals, limit)
    rows = [row for page in pages for row in page]
    assert sorted(rows) == sorted((m, e.seq) for m, all_ in journals.items() for e in all_)
    times = [journals[machine][seq - 1].at for machine, seq in rows]
    assert times == sorted(times, reverse=True)
    assert all(len(page) == limit for page in pages[:-1])


def test_what_happens_while_pages_are_read_does_not_move_them():
    journals = {"a": journal_of([50, 51, 52]), "b": journal_of([1, 2, 3])}

    def happen(page):
        for journal in journals.values():
            journal.append(Event("done", NOON + timedelta(days=page), seq=len(journal) + 1))

    pages = page_by_page(journals, 2, happen)
    assert pages[:3] == [[("a", 3), ("a", 2)], [("a", 1), ("b", 3)], [("b", 2), ("b", 1)]]


def test_the_order_of_a_machine_is_its_own_also_when_its_clock_went_back():
    journal = journal_of([5, 6, 7])
    journal.append(Event("done", NOON, seq=4))
    rows = [row for page in page_by_page({"a": journal, "b": journal_of([6])}, 2) for row in page]
    assert [seq for machine, seq in rows if machine == "a"] == [4, 3, 2, 1]


@pytest.mark.parametrize("cursor", ["12", "?", "bnVsbA==", "WzFd", write_places({"a": "1"})[:-3]])
def test_a_cursor_of_no_page_is_refused(cursor):
    with pytest.raises(BadRequest, match="earlier page"):
        read_places(cursor)


# Machines


@pytest.fixture
def talking(machine, tmp_path):
    """Two machines whose CLI writes transcripts, with three conversations each."""
    made = []
    for name in ("desk", "laptop"):
        one = machine(name, start=False)
        one.home = tmp_path / f"home-{name}"
        made.append(one.start())
    meet(*made)
    for number in range(6):
        talk(made[number % 2], f"talk{number}", number)
    return made


def talk(machine, name, minutes):
    """A conversation of a machine that ended so many minutes after noon."""
    path = write(machine.home / "notes" / f"{name}.jsonl", note("a", f"said in {name}"))
    at = (NOON + timedelta(minutes=minutes)).timestamp()
    os.utime(path, (at, at))


def listed(page):
    return [
        (one.cli_session_id, one.machine.name if one.machine else None) for one in page.sessions
    ]


@redis
def test_the_history_has_the_conversations_of_all_machines(talking):
    desk, laptop = talking
    everything = [(f"talk{n}", "laptop" if n % 2 else "desk") for n in reversed(range(6))]
    for one in talking:
        assert listed(one.tap.history()) == everything
        first = one.tap.history(limit=4)
        rest = one.tap.history(limit=4, cursor=first.cursor)
        assert listed(first) + listed(rest) == everything
        assert rest.cursor is None
    there = desk.tap.at("laptop")
    assert [name for name, _ in listed(there.history())] == ["talk5", "talk3", "talk1"]
    assert listed(desk.tap.history(adapter="toy", limit=1)) == [("talk5", "laptop")]
    with pytest.raises(BadRequest, match="no such adapter"):
        desk.tap.history(adapter="nobody")
    conversation = there.stored("toy", "talk5")
    assert conversation.page.messages[0].content[0].text == "said in talk5"
    assert laptop.tap.at("desk").history().missing == ()


@redis
def test_one_machine_alone_has_no_machine_in_its_lists(machine, tmp_path):
    desk = machine("desk", start=False)
    desk.home = tmp_path / "home"
    desk.start()
    for number in range(3):
        talk(desk, f"talk{number}", number)
    first = desk.tap.history(limit=2)
    assert listed(first) == [("talk2", None), ("talk1", None)]
    assert listed(desk.tap.history(limit=2, cursor=first.cursor)) == [("talk0", None)]
    session_id = start(desk, tmp_path)
    events = desk.tap.latest_events(session_id=session_id).events
    assert events[-1].type == "session_status"
    assert {event.machine for event in events} == {None}


@redis
def test_a_machine_that_is_away_is_named_and_its_part_comes_once_it_is_back(talking):
    desk, laptop = talking
    laptop.sleep()
    until(lambda: not desk.fleet.online(laptop.fleet.machine.id))
    page = desk.tap.history(limit=2)
    assert listed(page) == [("talk4", "desk"), ("talk2", "desk")]
    (missing,) = page.missing
    assert missing.machine.name == "laptop"
    assert missing.detail.startswith("laptop cannot be reached since")
    laptop.wake()
    meet(desk, laptop)
    rest = listed(desk.tap.history(cursor=page.cursor))
    theirs = [(f"talk{number}", "laptop") for number in (5, 3, 1)]
    assert rest == [*theirs, ("talk0", "desk")]
    gone(desk, laptop)
    with pytest.raises(ClawTapError) as caught:
        desk.tap.at("laptop").history()
    assert caught.value.code == "machine_away"


@redis
def test_a_slow_machine_does_not_hold_the_list(talking, monkeypatch):
    desk, laptop = talking
    desk.rejoin(read_ends=0.3)
    meet(desk, laptop)
    free = threading.Event()
    page = laptop.runtime.history.page

    def slow(*arguments):
        free.wait(60)
        return page(*arguments)

    monkeypatch.setattr(laptop.runtime.history, "page", slow)
    began = time.monotonic()
    history = desk.tap.history()
    assert time.monotonic() - began < 20
    free.set()
    assert {name for _, name in listed(history)} == {"desk"}
    assert [missing.detail for missing in history.missing] == ["laptop does not answer"]
    until(lambda: not desk.tap.history().missing)


@redis
def test_the_journal_has_the_events_of_all_machines(pair, tmp_path):
    desk, laptop = pair
    sessions = {one.name: start(one, tmp_path) for one in (desk, laptop)}
    for number in range(4):
        one = pair[number % 2]
        one.tap.rename(sessions[one.name], f"title {number}")
    # Nothing more happens while the pages are read.
    until(
        lambda: all(one.tap.session(sessions[one.name]).state is SessionState.IDLE for one in pair)
    )
    events = desk.tap.latest_events(limit=500).events
    assert {(one.session_id, one.machine.name) for one in events} == {
        (session_id, name) for name, session_id in sessions.items()
    }
    assert [one.at for one in events] == sorted((one.at for one in events), reverse=True)
    cursor, paged = None, []
    while len(paged) < len(events):
        page = desk.tap.latest_events(cursor=cursor, limit=3)
        paged, cursor = [*paged, *page.events], page.cursor
    assert [(one.machine.id, one.seq) for one in paged] == [
        (one.machine.id, one.seq) for one in events
    ]
    ours = desk.tap.latest_events(session_id=sessions["laptop"], types=("session_status",))
    assert {one.machine.name for one in ours.events} == {"laptop"}
    there = desk.tap.at("laptop")
    assert {one.machine.name for one in there.latest_events().events} == {"laptop"}
    assert {one.machine.name for one in there.journal().events} == {"laptop"}


# The pages


@redis
def test_the_pages_show_the_machine_of_each_row_and_who_is_missing(talking, page_of):
    desk, laptop = talking
    pages = page_of(desk)
    html = pages.get("/history").text
    assert choice(html) == (["All", "desk", "laptop"], "All")
    laptop_id = laptop.fleet.machine.id
    assert f'href="/history/toy/talk5?machine={laptop_id}"' in html
    assert html.count('<span class="tag machine">laptop</span>') == 3
    assert "said in talk5" in pages.get(f"/history/toy/talk5?machine={laptop_id}").text
    only = pages.get(f"/history?machine={laptop_id}").text
    assert choice(only) == (["All", "desk", "laptop"], "laptop")
    assert "talk5" in only
    assert "talk4" not in only
    assert "tag machine" not in only
    gone(desk, laptop)
    for path in ("history", "journal"):
        text = " ".join(re.sub(r"<[^>]+>", "", pages.get(f"/{path}").text).split())
        assert re.search(
            rf"laptop has been away since [^:]+:\d\d[^:]*: its {path} is not shown\.", text
        )
    assert "talk4" in pages.get("/history").text


@redis
def test_answers_of_all_machines_are_in_the_journal_and_in_what_is_exported(machine, page_of):
    desk, laptop = machine("desk", start=False), machine("laptop", start=False)
    for one in (desk, laptop):
        one.rules = one.settings.data_dir / "rules.toml"
        one.start()
    meet(desk, laptop)
    for one in (desk, laptop):
        one.tap.add_rules([Rule(f"of-{one.name}", RuleDecision.DENY, commands=("npm test",))])
    pages = page_of(desk)
    html = pages.get("/journal?kind=actions").text
    assert html.index("Rule added: of-laptop") < html.index("Rule added: of-desk")
    assert html.count('<span class="tag machine">laptop</span>') == 1
    lines = list(map(json.loads, pages.get("/journal/export.jsonl").text.splitlines()))
    assert [line["machine"]["name"] for line in lines] == ["desk", "laptop"]
    named = pages.get(f"/journal/export.jsonl?machine={laptop.fleet.machine.id}").text
    assert [json.loads(line)["machine"]["name"] for line in named.splitlines()] == ["laptop"]
    header = next(csv.reader(io.StringIO(pages.get("/journal/export.csv").text)))
    assert header[-1] == "machine"


@redis
def test_a_hub_has_the_history_and_the_journal_of_all(talking, hub):
    desk, laptop = talking
    view, pages = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    page = pages.get("/api/history/page?limit=2").json
    assert [one["machine"]["name"] for one in page["sessions"]] == ["laptop", "desk"]
    rest = pages.get(f"/api/history/page?cursor={page['cursor']}").json
    assert [one["cliSessionId"] for one in rest["sessions"]] == ["talk3", "talk2", "talk1", "talk0"]
    assert rest["missing"] == []
    assert len(pages.get("/api/history?adapter=toy&limit=1").json) == 1
    assert pages.get("/api/history/page?cursor=nonsense").status_code == 400
    assert pages.get("/api/journal/latest").json["missing"] == []
    gone(desk, laptop)
    until(lambda: not view.online(laptop.fleet.machine.id))
    missing = pages.get("/api/journal/latest").json["missing"]
    assert [(one["name"], one["state"]) for one in missing] == [("laptop", "away")]
