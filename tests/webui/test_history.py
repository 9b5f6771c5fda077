"""History: the conversations that CLIs keep, to read and to go on with."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from flask.testing import FlaskClient
from webdesk.desk import Desk
from webdesk.talks import talk
from webdesk.transport import DeskTransport

from clawtap_core.model import AdapterStatus, StoredSession


@pytest.fixture
def stored(desk: Desk) -> Desk:
    now = datetime.now(timezone.utc)
    desk.stored = [
        StoredSession("gemini", "g1", now, "/home/me/shop", "Fix <b>it</b>\nplease"),
        StoredSession("demo", "d1", now - timedelta(days=3), "/home/me/docs", "Write docs"),
        StoredSession("gemini", "g2", now - timedelta(days=1), None, None),
    ]
    for message in talk():
        desk.tell_stored("g1", message)
    return desk


def test_conversations_are_listed_by_day_and_cli(client: FlaskClient, stored: Desk) -> None:
    page = client.get("/history").text
    assert "Today" in page
    assert "Fix &lt;b&gt;it&lt;/b&gt; please" in page
    assert page.count("/resume") == 1
    assert "Another CLI" not in page
    only = client.get("/history?adapter=demo").text
    assert "Write docs" in only
    assert "Fix" not in only


def test_older_conversations_are_a_step_away(client: FlaskClient, stored: Desk) -> None:
    newest = datetime.now(timezone.utc)
    stored.stored = [
        StoredSession(
            "gemini", f"g{number}", newest - timedelta(days=number), "/p", f"Talk {number}."
        )
        for number in range(70)
    ]
    first = client.get("/history?adapter=gemini").text
    assert "Talk 49." in first
    assert "Talk 50." not in first
    link = first.split('href="/history?cursor=')[1].split('"')[0].replace("&amp;", "&")
    second = client.get(f"/history?cursor={link}").text
    assert "Talk 50." in second
    assert "Talk 69." in second
    assert "Talk 49." not in second
    assert "Newest" in second
    assert "Older" not in second
    assert "Talk 0." in client.get("/history?cursor=nonsense").text


def test_a_conversation_is_read_and_resumed(client: FlaskClient, stored: Desk) -> None:
    page = client.get("/history/gemini/g1").text
    assert "212 tests" in page
    assert page.count('class="feed-item tool"') == 3
    answer = client.post("/history/gemini/g1/resume")
    assert answer.status_code == 303
    assert stored.said[-1]["resume"] == "g1"
    assert stored.said[-1]["cwd"] == "/home/me/shop"
    assert client.post("/history/gemini/g2/resume").status_code == 422
    assert client.get("/history/gemini/none").status_code == 404


def test_older_messages_of_it_come_too(client: FlaskClient, stored: Desk) -> None:
    for minute in range(30):
        for message in talk(f"t{minute}-", minute):
            stored.tell_stored("g1", message)
    older = client.get("/history/gemini/g1").text.split('data-older="')[1].split('"')[0]
    answer = client.get(f"/history/gemini/g1/feed?before={older}")
    assert answer.text.count("<li") > 20
    assert answer.headers["X-Older"]


def test_the_clis_that_are_installed_are_the_first_choices(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = DeskTransport.adapters

    def only_claude(here: DeskTransport) -> list[AdapterStatus]:
        return [replace(each, installed=each.info.id == "claude") for each in every(here)]

    monkeypatch.setattr(DeskTransport, "adapters", only_claude)
    names = re.findall(r"/history\?adapter=(\w+)", client.get("/history").text)
    assert names == ["claude", "demo", "gemini", "codex"]


def test_an_empty_history_says_what_comes_here(client: FlaskClient) -> None:
    assert "No conversations yet" in client.get("/history").text


def test_a_conversation_of_a_machine_keeps_the_machine_in_its_links(
    client: FlaskClient, stored: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DeskTransport, "at", lambda here, machine: here)
    listed = client.get("/history?machine=m1").text
    assert 'href="/history/gemini/g1?machine=m1"' in listed
    page = client.get("/history/gemini/g1?machine=m1").text
    path = "/history/gemini/g1"
    assert f'data-path="{path}/feed?machine=m1&amp;" data-end="{path}?machine=m1"' in page
    assert f'action="{path}/resume?machine=m1"' in page
    assert f'data-path="{path}/feed?"' in client.get(path).text
