"""The conversations of running and ended sessions, page by page."""

from __future__ import annotations

import os

import pytest
from fake_terminal import until
from toy_conversations import said, show
from toy_transcripts import note, write

from clawtap_core.errors import BadRequest, NotFound


def test_an_ended_session_can_still_be_read_and_is_in_the_history(office):
    desk = office.open()
    session = office.start(desk)
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: said(desk, session))
    until(lambda: desk.transport().history().sessions[0].session_id == session)
    desk.transport().end(session)
    assert said(desk, session) == ["a"]
    (stored,) = desk.transport().history(cwd=str(office.project)).sessions
    assert (stored.cli_session_id, stored.title, stored.session_id) == ("talk", "talk", None)
    page = desk.transport().stored("toy", "talk").page
    assert [message.id for message in page.messages] == ["a"]


def test_a_session_in_a_linked_folder_has_its_conversation(office, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(office.project)
    desk = office.open()
    session = office.start(desk, cwd=link)
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    until(lambda: said(desk, session))
    assert desk.transport().session(session).cwd == str(office.project)
    until(lambda: desk.transport().history(cwd=str(link)).sessions[0].session_id == session)


def test_the_history_is_read_page_by_page(office):
    desk = office.open()
    for number in range(5):
        path = office.write(f"talk{number}", note("a"))
        os.utime(path, (1000 + number // 2, 1000 + number // 2))
    names, cursor = [], None
    while True:
        page = desk.transport().history(cursor=cursor, limit=2)
        names += [stored.cli_session_id for stored in page.sessions]
        cursor = page.cursor
        if cursor is None:
            break
    assert names == ["talk4", "talk3", "talk2", "talk1", "talk0"]
    with pytest.raises(BadRequest, match="from an earlier page"):
        desk.transport().history(cursor="zzz")


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_the_history_has_the_latest_model_and_the_summary(office, suffix):
    desk = office.open()
    lines = [note("a", "hello"), note("b", "hi", role="assistant")]
    path = office.write("talk", *lines)
    if suffix == "json":
        path = path.rename(path.with_suffix(".json"))
    (stored,) = desk.transport().history().sessions
    assert (stored.model, stored.summary) == ("swift", None)
    write(path, *lines, note("summed"))
    (stored,) = desk.transport().history().sessions
    assert (stored.model, stored.summary) == ("swift", "all about the north")
    assert desk.transport().stored("toy", "talk").session == stored


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
