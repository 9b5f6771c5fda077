"""The index finds what was written into it, in any language, and nothing that left it."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawtap_core.search import sqlite
from clawtap_core.search.api import IndexedConversation, IndexedMessage
from clawtap_core.search.query import parse_query
from clawtap_core.search.sqlite import SqliteIndex, open_index

NOON = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)
SHOP = IndexedConversation(("claude", "c1"), "/talks/c1.jsonl", "The shop", "/srv/shop", NOON)
API = IndexedConversation(("gemini", "g1"), "/talks/g1.jsonl", "The API", None, NOON)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqliteIndex]:
    index = SqliteIndex(tmp_path / "search.db")
    yield index
    index.close()


def message(name: str, text: str, minute: int = 0, role: str = "user") -> IndexedMessage:
    return IndexedMessage(name, role, NOON + timedelta(minutes=minute), text, len(text))


def found(index: SqliteIndex, typed: str, **page: int) -> list[str]:
    page = {"before": None, "limit": 20, **page}  # type: ignore[dict-item]
    return [one.message.id for one in index.find(parse_query(typed), **page)]  # type: ignore[arg-type]


def test_the_newest_messages_are_found_first(index: SqliteIndex) -> None:
    index.write(SHOP, [message("late", "the deployment failed", 9), message("early", "deploy", 1)])
    index.write(API, [message("middle", "deploy it again", 5)])
    assert found(index, "deploy") == ["late", "middle", "early"]
    assert found(index, "deploy fail") == ["late"]


def test_each_page_continues_where_the_last_one_ended(index: SqliteIndex) -> None:
    index.write(SHOP, [message(f"m{n}", "again", n // 10) for n in range(100)])
    names: list[str] = []
    before = None
    while page := index.find(parse_query("again"), before=before, limit=7):
        names += [one.message.id for one in page]
        before = page[-1].position
    assert len(names) == 100
    assert len(set(names)) == 100


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("部署失败了，请检查日志。", "日志"),
        ("エラーログを見る", "ログ"),
        ("로그를확인하세요", "확인"),
        ("shipped🚀today", "🚀"),
        ("a new one \U0001fae0 too", "\U0001fae0"),
        ("a👍🏽b", "👍🏽"),
        ("Grüße aus dem CAFÉ", "cafe gruße"),
        ("Ошибка входа", "ошибка"),
        ("ดูข้อผิดพลาด", "ผิดพลาด"),
        ("│ cell │ other│", "cell other"),
        ("see src/webui/app.py:12", "src/webui/app.py"),
        ("𠮷野家で", "𠮷野"),
    ],
)
def test_every_script_is_found(index: SqliteIndex, text: str, typed: str) -> None:
    index.write(SHOP, [message("one", text), message("other", "nothing of it")])
    assert found(index, typed) == ["one"]


def test_a_message_that_changed_is_found_by_its_new_words_only(index: SqliteIndex) -> None:
    index.write(SHOP, [message("one", "first words 日志")])
    index.write(SHOP, [message("one", "second thoughts")])
    assert found(index, "first") == found(index, "日志") == []
    assert found(index, "second") == ["one"]
    assert index.digests(SHOP.key) == {"one": len("second thoughts")}


def test_what_was_removed_is_not_found(index: SqliteIndex) -> None:
    index.write(SHOP, [message("one", "same words"), message("two", "same words", 1)])
    index.write(API, [message("three", "same words", 2)])
    index.write(SHOP, removed=["two", "unknown"])
    assert found(index, "same") == ["three", "one"]
    index.drop(SHOP.key)
    assert found(index, "same") == ["three"]
    assert [each.key for each in index.conversations()] == [API.key]


def test_it_survives_a_restart(index: SqliteIndex, tmp_path: Path) -> None:
    index.write(SHOP, [message("one", "kept words")])
    digest = index.digest("kept words")
    again = SqliteIndex(tmp_path / "search.db")
    assert found(again, "kept") == ["one"]
    assert again.conversations() == [SHOP]
    assert again.digest("kept words") == digest
    again.close()


def test_only_the_owner_can_read_it(index: SqliteIndex, tmp_path: Path) -> None:
    index.write(SHOP, [message("one", "words")])
    files = list(tmp_path.glob("search.db*"))
    assert {path.name for path in files} >= {"search.db", "search.db-wal"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


@pytest.mark.parametrize("harm", [b"no database at all" * 500, b""])
def test_a_damaged_index_is_rebuilt(tmp_path: Path, harm: bytes) -> None:
    path = tmp_path / "search.db"
    SqliteIndex(path).close()
    path.write_bytes(harm)
    index = SqliteIndex(path)
    index.write(SHOP, [message("one", "new words")])
    assert found(index, "new") == ["one"]
    index.close()


def test_an_index_of_another_version_is_rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = SqliteIndex(tmp_path / "search.db")
    old.write(SHOP, [message("one", "words")])
    old.close()
    monkeypatch.setattr(sqlite, "VERSION", sqlite.VERSION + 1)
    index = SqliteIndex(tmp_path / "search.db")
    assert index.conversations() == []
    index.close()


def test_where_no_file_can_be_written_there_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "search.db").mkdir()
    assert open_index(tmp_path / "search.db") is None


def test_a_time_out_of_range_is_no_error(index: SqliteIndex) -> None:
    far = datetime(9999, 12, 31, 23, 59, tzinfo=timezone.utc)
    index.write(SHOP, [IndexedMessage("far", "user", far, "odd times", 1)])
    index.write(SHOP, [IndexedMessage("old", "user", datetime(1, 1, 1), "odd times", 1)])
    assert found(index, "odd") == ["far", "old"]


def test_a_failed_write_leaves_nothing_half_done(index: SqliteIndex) -> None:
    bad = IndexedMessage("two", "user", NOON, "half", 2**70)
    with pytest.raises((OverflowError, sqlite3.Error)):
        index.write(SHOP, [message("one", "half"), bad])
    assert found(index, "half") == []
    index.write(SHOP, [message("one", "half")])
    assert found(index, "half") == ["one"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_no_input_is_a_syntax_error(index: SqliteIndex, typed: str) -> None:
    found(index, typed)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text('abXYäéЖ日志ロ로ผ🚀 _-/"│0', min_size=1, max_size=30))
def test_a_text_is_found_by_all_of_itself(index: SqliteIndex, text: str) -> None:
    index.write(SHOP, [message("self", text)])
    assert found(index, text) == (["self"] if parse_query(text).terms else [])
