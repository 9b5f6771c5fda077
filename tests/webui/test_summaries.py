"""What a session is called, and its last line."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from webdesk.desk import Desk

from clawtap_core.model import Actor
from webui.rendering.summaries import Summaries
from webui.viewmodels.session_row import file_label


def _say(desk: Desk, session: str, key: str, role: str, text: str) -> None:
    content = [{"type": "text", "text": text}]
    desk.say(session, {"id": key, "role": role, "content": content, "at": "2026-11-01T10:00:00Z"})


def _summaries(desk: Desk) -> Summaries:
    return Summaries(lambda: desk.transport(Actor()))


def test_a_session_without_messages_has_no_title_of_its_own(desk: Desk) -> None:
    session = desk.add(title="shop", cwd="/home/me/shop")
    assert _summaries(desk).of(session).title == ""


def test_the_last_line_follows_the_messages(desk: Desk) -> None:
    session = desk.add(title="shop", cwd="/home/me/shop")
    summaries = _summaries(desk)
    _say(desk, session.id, "1", "user", "Fix\nit")
    assert summaries.of(session).title == "Fix it"
    _say(desk, session.id, "2", "assistant", "I look.")
    summaries.record(desk.events[-1])
    assert summaries.of(session).last_line == "I look."
    assert summaries.of(session).title == "Fix it"


def test_the_last_line_has_no_marks_of_markdown(desk: Desk) -> None:
    session = desk.add(title="shop", cwd="/home/me/shop")
    _say(desk, session.id, "1", "user", "what is **/*.py")
    _say(desk, session.id, "2", "assistant", "## Found\n\n**Two** of `a.py`")
    summary = _summaries(desk).of(session)
    assert (summary.title, summary.last_line) == ("what is **/*.py", "Found Two of a.py")


def test_what_nobody_listened_to_is_read_again(desk: Desk) -> None:
    session: Any = desk.add(title="shop", cwd="/home/me/shop")
    summaries = _summaries(desk)
    assert summaries.of(session).last_line == ""
    _say(desk, session.id, "1", "user", "Fix it")
    from dataclasses import replace

    later = replace(session, last_activity=session.last_activity + timedelta(minutes=1))
    assert summaries.of(later).last_line == "Fix it"


def test_a_session_that_was_empty_is_read_again(desk: Desk) -> None:
    session = desk.add(title="shop", cwd="/home/me/shop")
    summaries = _summaries(desk)
    assert summaries.of(session).title == ""
    _say(desk, session.id, "1", "user", "Fix it")
    assert summaries.of(session).title == "Fix it"


def test_a_title_that_somebody_gave_stays(desk: Desk) -> None:
    session = desk.add(title="Mine", cwd="/home/me/shop")
    _say(desk, session.id, "1", "user", "Fix it")
    assert _summaries(desk).of(session).title == ""


def test_a_file_is_named_before_its_folder() -> None:
    assert file_label("/home/me/shop/src/cart.py", "/home/me/shop") == ("cart.py", "src")
    assert file_label("/home/me/shop/cart.py", "/home/me/shop") == ("cart.py", "")
    assert file_label("/home/me/shop/../x/cart.py", "/home/me/shop")[1] != ""
    assert file_label("/etc/hosts", "/home/me/shop") == ("hosts", "/etc")
    assert file_label("src/cart.py", "") == ("cart.py", "src")
