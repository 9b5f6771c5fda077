"""The page of lost sessions, and the offer to bring them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect
from webdesk.desk import Desk

from clawtap_core.model import SessionState


def lose(desk: Desk, **fields: Any) -> str:
    session = desk.add(**fields)
    desk.keep(replace(session, state=SessionState.LOST))
    return session.id


def test_nothing_is_offered_where_nothing_was_lost(client: FlaskClient, desk: Desk) -> None:
    desk.add()
    assert "Bring back" not in client.get("/").text
    assert "Nothing was lost" in client.get("/restore").text


def test_what_ran_is_shown_with_why_some_cannot_come_back(client: FlaskClient, desk: Desk) -> None:
    session = lose(desk, title="The shop")
    lose(desk, title="The old one", cwd="/home/me/gone")
    assert "2 sessions lost" in client.get("/").text
    page = client.get("/restore").text
    assert "The shop" in page
    assert "No such folder: &#39;/home/me/gone&#39;" in page
    assert page.count('name="session"') == 1
    assert [said["dry_run"] for said in desk.said] == [True]
    answer = client.post("/restore")
    assert (answer.status_code, answer.location) == (303, "/restore")
    assert desk.sessions[session].state is SessionState.IDLE
    assert "1 session lost" in client.get("/").text


def test_one_comes_back_and_its_page_follows(client: FlaskClient, desk: Desk) -> None:
    one, other = lose(desk, cli_session_id="c1"), lose(desk)
    assert "Bring back" in client.get(f"/sessions/{one}").text
    answer = client.post("/restore", data={"session": one})
    assert (answer.status_code, answer.location) == (303, f"/sessions/{one}")
    assert desk.sessions[other].state is SessionState.LOST
    assert client.post("/restore").location == "/"


def test_what_started_without_its_conversation_is_named(client: FlaskClient, desk: Desk) -> None:
    one = lose(desk, title="The <shop>", cwd="/home/me/forgot")
    answer = client.post("/restore")
    assert answer.location == f"/restore?without={one}"
    page = client.get(answer.location).text
    assert "Started without its conversation" in page
    assert "The &lt;shop&gt;" in page
    assert "Nothing was lost" not in page
    assert "Started without" not in client.get("/restore?without=other").text


def test_one_that_cannot_come_back_says_why(client: FlaskClient, desk: Desk) -> None:
    one = lose(desk, cwd="/home/me/gone")
    answer = client.post("/restore", data={"session": one})
    assert answer.status_code == 422
    assert "this session cannot be brought back: no such folder" in answer.text.lower()


@pytest.mark.browser
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_offer_appears_when_a_session_is_lost_and_leaves_when_it_is_back(
    open_page: Callable[..., Any], served: Any, size: str
) -> None:
    session = served.do("add", cli_session_id="cli-1", title="The shop")
    page = open_page(size, "/")
    page.locator("html[data-connection=live]").wait_for()
    served.do("state", session=session, state="lost")
    page.get_by_text("1 session lost").wait_for()
    page.get_by_role("link", name="Show").click()
    page.get_by_text("The shop").wait_for()
    page.get_by_role("button", name="Bring back").click()
    page.wait_for_url(f"{served.url}/")
    expect(page.get_by_text("session lost")).to_have_count(0)
