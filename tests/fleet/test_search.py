"""Search over all machines: one list, newest first, with the machine of each match."""

from __future__ import annotations

import re

import pytest
from fleet_pages import choice, gone
from patience import until
from toy_fleet import meet, session_seen, start
from toy_transcripts import note, write

from clawtap_core.errors import BadRequest, ClawTapError

pytestmark = pytest.mark.redis
NOON = 1_790_000_000


@pytest.fixture
def talking(machine, tmp_path):
    """Two machines with three messages each, which were written in turn."""
    made = []
    for name in ("desk", "laptop"):
        one = machine(name, start=False)
        one.home, one.searches = tmp_path / f"home-{name}", True
        number = len(made)
        lines = (note(f"{name}{n}", f"north of {name}", at=NOON + 2 * n + number) for n in range(3))
        write(one.home / "notes" / f"talk-{name}.jsonl", *lines)
        made.append(one.start())
    meet(*made)
    for one in made:
        until(lambda one=one: len(one.runtime.transport().search("north").messages) == 3)
    return made


def found(page):
    return [(match.message_id, match.machine and match.machine.name) for match in page.messages]


EVERYTHING = [(f"{name}{n}", name) for n in (2, 1, 0) for name in ("laptop", "desk")]


def test_messages_of_all_machines_are_found_newest_first_and_page_by_page(talking):
    desk, laptop = talking
    for one in talking:
        assert found(one.tap.search("north")) == EVERYTHING
        cursor, pages = None, []
        while not pages or cursor:
            page = one.tap.search("north", cursor=cursor, limit=2)
            pages.append(found(page))
            cursor = page.cursor
        assert pages == [EVERYTHING[:2], EVERYTHING[2:4], EVERYTHING[4:]]
    assert found(desk.tap.search("laptop")) == [(f"laptop{n}", "laptop") for n in (2, 1, 0)]
    with pytest.raises(BadRequest):
        desk.tap.search("north", cursor="12")
    assert laptop.tap.search("south").missing == ()


def test_sessions_of_all_machines_are_found_on_the_first_page(talking, tmp_path):
    desk, laptop = talking
    ours, theirs = start(desk, tmp_path), start(laptop, tmp_path)
    session_seen(desk, theirs)
    for one, session_id in ((desk, ours), (laptop, theirs)):
        one.tap.rename(session_id, "Expedition north")
    page = desk.tap.search("north", limit=1)
    named = {match.session_id: match.machine.name for match in page.sessions if match.session_id}
    assert named == {ours: "desk", theirs: "laptop"}
    times = [match.last_activity for match in page.sessions]
    assert times == sorted(times, reverse=True)
    assert desk.tap.search("north", limit=1, cursor=page.cursor).sessions == ()


def test_with_a_machine_it_is_searched_there_only(talking):
    desk, _ = talking
    there = desk.tap.at("laptop").search("north", limit=2)
    rest = desk.tap.at("laptop").search("north", limit=2, cursor=there.cursor)
    assert found(there) + found(rest) == [(f"laptop{n}", "laptop") for n in (2, 1, 0)]


def test_one_machine_alone_has_no_machine_in_what_it_finds(machine, tmp_path):
    desk = machine("desk", start=False)
    desk.home, desk.searches = tmp_path / "home", True
    write(desk.home / "notes" / "talk.jsonl", note("a", "north", at=NOON))
    desk.start()
    until(lambda: desk.tap.search("north").messages)
    page = desk.tap.search("north")
    assert (found(page), page.missing) == ([("a", None)], ())


def test_a_machine_that_is_away_is_said_to_be_missing(talking):
    desk, laptop = talking
    laptop.sleep()
    until(lambda: not desk.fleet.online(laptop.fleet.machine.id))
    page = desk.tap.search("north", limit=2)
    assert found(page) == [("desk2", "desk"), ("desk1", "desk")]
    (missing,) = page.missing
    assert missing.machine.name == "laptop"
    assert missing.detail.startswith("laptop cannot be reached since")
    laptop.wake()
    meet(desk, laptop)
    rest = found(desk.tap.search("north", cursor=page.cursor))
    assert sorted(rest) == sorted(set(EVERYTHING) - {("desk2", "desk"), ("desk1", "desk")})
    gone(desk, laptop)
    with pytest.raises(ClawTapError) as caught:
        desk.tap.at("laptop").search("north")
    assert caught.value.code == "machine_away"


def test_a_machine_that_does_not_answer_does_not_hold_the_search(talking, monkeypatch):
    desk, laptop = talking
    desk.rejoin(read_ends=0.3)
    meet(desk, laptop)
    monkeypatch.setattr(desk.fleet.caller, "take", lambda entry: None)
    page = desk.tap.search("north")
    assert {name for _, name in found(page)} == {"desk"}
    assert [missing.detail for missing in page.missing] == ["laptop does not answer"]


def test_a_hub_finds_what_all_machines_have(talking, hub):
    view, pages = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    page = pages.get("/api/search?q=north&limit=2").json
    assert [one["machine"]["name"] for one in page["messages"]] == ["laptop", "desk"]
    rest = pages.get(f"/api/search?q=north&cursor={page['cursor']}").json
    assert [one["messageId"] for one in rest["messages"]] == [name for name, _ in EVERYTHING[2:]]
    assert (rest["missing"], rest["complete"]) == ([], True)
    assert pages.get("/api/search?q=north&cursor=nonsense").status_code == 400
    desk, laptop = talking
    gone(desk, laptop)
    until(lambda: not view.online(laptop.fleet.machine.id))
    missing = pages.get("/api/search?q=north").json["missing"]
    assert [(one["name"], one["state"]) for one in missing] == [("laptop", "away")]


def test_the_page_and_the_palette_show_the_machine_and_who_is_missing(talking, page_of):
    desk, laptop = talking
    pages, laptop_id = page_of(desk), laptop.fleet.machine.id
    html = pages.get("/find?q=north").text
    assert choice(html) == (["All", "desk", "laptop"], "All")
    assert f'href="/find?q=north&amp;machine={laptop_id}"' in html
    opened = f"/history/toy/talk-laptop?message=laptop2&amp;machine={laptop_id}"
    assert f'href="{opened}"' in html
    assert html.count('<span class="tag machine">laptop</span>') == 3
    assert "north of laptop" in pages.get(opened.replace("&amp;", "&")).text
    only = pages.get(f"/find?q=north&machine={laptop_id}").text
    assert choice(only) == (["All", "desk", "laptop"], "laptop")
    assert "tag machine" not in only
    assert "talk-desk" not in only
    script = {"X-ClawTap-Script": "1"}
    palette = pages.get("/find?q=north", headers=script).text
    assert palette.count('<span class="tag machine">laptop</span>') == 3
    gone(desk, laptop)
    text = " ".join(re.sub(r"<[^>]+>", "", pages.get("/find?q=north").text).split())
    assert re.search(r"laptop has been away since .*: its part of the results is not shown\.", text)
    palette = pages.get("/find?q=north", headers=script).text
    assert "laptop is away: its part of the results is not shown." in palette
    assert "desk2" in palette
