"""How long a search takes over many long conversations, and how large their index is."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from bench.figure import Figure
from clawtap_core.search.api import IndexedConversation, IndexedMessage
from clawtap_core.search.query import parse_query
from clawtap_core.search.snippet import snippet
from clawtap_core.search.sqlite import SqliteIndex

CONVERSATIONS = 100
MESSAGES = 1000
LIMIT = 50.0
QUERIES = (
    *("the", "de", "s", "test deploy", "return self", '"the second page"', "checkout flaky"),
    *("日志", "部署失败", "🚀", "zzzunknown", "a b c d e f g", "src/webui/app.py", "gruße cafe"),
)
_NOTES = ("部署失败了，请检查日志。", "shipped 🚀", "Grüße, Café", "the second page of /orders")
_START = datetime(2026, 1, 1, tzinfo=timezone.utc)


def searched(rounds: int) -> Figure:
    """Measure the slowest of many queries over 100 conversations of 1,000 messages."""
    with tempfile.TemporaryDirectory(prefix="clawtap-bench-") as folder:
        path = Path(folder) / "search.db"
        index = SqliteIndex(path)
        filled = fill(index)
        took = {text: statistics.median(_times(index, text, rounds)) for text in QUERIES}
        index.close()
        size = path.stat().st_size / 1e6
    slowest = max(took, key=lambda text: took[text])
    note = (
        f"{slowest!r}, the slowest of {len(QUERIES)}; against 50 ms; the index has"
        f" {size:.0f} MB, filled in {filled:.0f} s"
    )
    what = "a search over 100,000 messages"
    return Figure("searched", what, took[slowest], LIMIT, "ms", 1, note)


def fill(index: SqliteIndex) -> float:
    """Write conversations of words from this program's own texts; return the seconds it took."""
    words = " ".join(_texts()).split()
    choose = random.Random(7)
    start = time.perf_counter()
    for number in range(CONVERSATIONS):
        at = _START + timedelta(hours=number)
        conversation = IndexedConversation(
            ("bench", f"c{number}"), f"/c{number}", f"Conversation {number}", "/srv/shop", at
        )
        messages = [_message(each, at, words, choose) for each in range(MESSAGES)]
        for first in range(0, MESSAGES, 50):
            index.write(conversation, messages[first : first + 50])
    return time.perf_counter() - start


def _message(number: int, at: datetime, words: list[str], choose: random.Random) -> IndexedMessage:
    first = choose.randrange(len(words) - 80)
    text = " ".join(words[first : first + choose.randint(10, 80)])
    if number % 97 == 0:
        text += f" {choose.choice(_NOTES)}"
    role = ("user", "assistant")[number % 2]
    return IndexedMessage(f"m{number}", role, at + timedelta(seconds=number), text, number)


def _texts() -> Iterator[str]:
    checkout = Path(__file__).parents[1]
    for path in sorted((*checkout.glob("docs/*.md"), *checkout.glob("clawtap_core/**/*.py"))):
        yield path.read_text(encoding="utf-8")


def _times(index: SqliteIndex, text: str, rounds: int) -> Iterator[float]:
    for _ in range(rounds):
        start = time.perf_counter()
        query = parse_query(text)
        for found in index.find(query, before=None, limit=21):
            snippet(found.message.text, query)
        index.conversations()
        yield 1e3 * (time.perf_counter() - start)
