"""What people type into a search field, and what of a text it matches."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.search.plain_text import without_markdown
from clawtap_core.search.query import parse_query
from clawtap_core.search.redaction import names_secret, without_secrets
from clawtap_core.search.snippet import LENGTH, snippet


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("a", "at"),
        ("deploy", "The Deployment failed"),
        ("fail deploy", "deployment FAILED"),
        ('"second page"', "the second\npage of orders"),
        ("“second page”", "the second page"),
        ('"second page', "the second page"),
        ("run_tests", "call run_tests() now"),
        ("run tests", "call run_tests() now"),
        ("/orders?page=2", "GET /orders?page=2 is slow"),
        ("cafe", "Le Café"),
        ("café", "LE CAFE"),
        ("cafe\u0301", "un café"),
        ("日志", "部署失败了，请检查日志。"),
        ("部署失败", "部署失败了"),
        ("gpt部署", "用gpt部署"),
        ("ログ", "エラーログを見る"),
        ("🚀", "shipped🚀today"),
        ("👩‍💻", "ask 👩‍💻 first"),
        ("вход", "Ошибка ВХОДА"),
        ("ข้อ", "ดูข้อผิดพลาด"),
    ],
)
def test_a_text_is_found(typed: str, text: str) -> None:
    assert parse_query(typed).is_in(text)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("ploy", "deploy"),
        ('"second pag"', "second page"),
        ('"page second"', "second page"),
        ("t", "at"),
        ("失部", "部署失败"),
        ("deploy staging", "deploy production"),
        ("", "anything"),
        ("*** ()", "anything"),
    ],
)
def test_a_text_is_not_found(typed: str, text: str) -> None:
    assert not parse_query(typed).is_in(text)


def test_the_snippet_marks_every_match_and_cuts_the_rest() -> None:
    text = "word " * 100 + "the Café by the\n\n  cafe door " + "word " * 100
    parts = snippet(text, parse_query("cafe door"))
    assert [part.text for part in parts if part.match] == ["Café", "cafe", "door"]
    line = "".join(part.text for part in parts)
    assert line.startswith("…word ")
    assert line.endswith("…")
    assert "by the cafe" in line
    assert len(line) <= LENGTH + 2


def test_a_snippet_without_a_match_is_the_beginning() -> None:
    assert [part.text for part in snippet("short", parse_query("zzz"))] == ["short"]


def test_a_snippet_has_no_marks_of_markdown() -> None:
    table = "| base | **price** |\n|---|---:|\n| [SQLite](https://x.y) | `0.00` |"
    parts = snippet(f"## Costs\n\n{table}\n\n- [x] *done*", parse_query("price"))
    assert "".join(part.text for part in parts) == "Costs base · price SQLite · 0.00 • done"
    assert [part.text for part in parts if part.match] == ["price"]


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and __init__",
        "rm *.pyc *.o",
        "2 * 3 * 4",
        "a | b",
        "see [1] or (2)",
        "--force",
    ],
)
def test_what_only_looks_like_markdown_stays(text: str) -> None:
    assert without_markdown(text) == text


def test_a_match_in_a_mark_is_shown_as_it_was_written() -> None:
    parts = snippet("see [the docs](https://example.org/costs)", parse_query("example"))
    assert [part.text for part in parts if part.match] == ["example"]


@pytest.mark.parametrize("text", ["~~a ", " ", "`a` ", "[a](b ", "|\t", "_a ", "**a", "- "])
def test_marks_that_never_end_take_no_time(text: str) -> None:
    began = process_time()
    without_markdown(text * 10_000)
    assert process_time() - began < 2


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_typed_and_searched(typed: str, text: str) -> None:
    query = parse_query(typed)
    query.is_in(text)
    assert len("".join(part.text for part in snippet(text, query))) <= LENGTH + 2


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrstuvwxyz012345",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "q7RtY2uVx9Zb4NcM8kLp3WsE6dHf1GjA",
    ],
)
def test_a_secret_is_hidden(secret: str) -> None:
    hidden = without_secrets(f"use {secret} here")
    assert secret not in hidden
    assert hidden.startswith("use •••")
    assert hidden.endswith("here")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("DB_PASSWORD=hunter2hunter2 make", "DB_PASSWORD=••• make"),
        ('{"api_key": "0123456789"}', '{"api_key": "•••"}'),
        ("the password is correcthorse", "the password is •••"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer •••"),
        ("postgres://me:opensesame@db/shop", "postgres://me:•••@db/shop"),
        ("SECRET_KEY = 'dj-abc-123'", "SECRET_KEY = '•••'"),
        ("aws_secret_access_key=wJalr/bPxRfiCY", "aws_secret_access_key=•••"),
        ("DB_PASS=hunter2hunter2", "DB_PASS=•••"),
        ("mysql --password hunter2 shop", "mysql --password ••• shop"),
        ("deploy --api-token 'abc123def'", "deploy --api-token '•••'"),
        ("curl -u me:opensesame https://x", "curl -u me:••• https://x"),
        ("Authorization: Basic bWU6b3Blbg==", "Authorization: Basic •••"),
    ],
)
def test_the_value_of_a_named_secret_is_hidden(text: str, hidden: str) -> None:
    assert without_secrets(text) == hidden


def test_ordinary_words_are_not_hidden() -> None:
    text = (
        "commit 0b3c5d7e9f1a2b3c4d5e6f708192a3b4c5d6e7f8 of src/webui/RenderTests2/index.test.ts"
        " refreshes tokens; see ConversationBinderFactoryForHookSessions"
    )
    assert without_secrets(text) == text
    assert names_secret("apiKey")
    assert names_secret("db_password")
    assert not names_secret("path")
