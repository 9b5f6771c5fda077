"""Markdown: what it shows, and that none of it holds up the server."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from webui.markup.markdown import MOST_SECONDS, render_markdown
from webui.markup.sanitizer import rich, rich_while_written

HURTING = {
    "brackets": "[" * 190_000,
    "images": "![" * 95_000,
    "emphasis": "*a **b " * 27_000,
    "quotes": "> a\n" * 48_000,
    "lists": "- a\n" * 48_000,
    "table": "|a|b|\n|-|-|\n" + "|c|d|\n" * 31_000,
    "paragraphs": "The [quick](http://x.y) **brown** `fox`.\n\n" * 4_500,
    "addresses": "https://" * 23_000,
    "dots": "https://a" + "." * 150_000,
    "code": "```css\n" + "a { b: c }\n" * 17_000 + "```\n",
}


@pytest.mark.parametrize("name", sorted(HURTING))
def test_markdown_made_to_hurt_is_given_up_and_shown_as_text(name: str) -> None:
    before = time.process_time()
    html = render_markdown(HURTING[name])
    # Twice the limit: the section that is being rendered when time is up is finished.
    assert time.process_time() - before < 2 * MOST_SECONDS + 1
    assert len(html) > 50_000


def test_a_long_text_is_rendered_as_a_short_one() -> None:
    text = (
        "# Title\n\nSee [here][1] and **this**:\n\n1. one\n\n   more\n\n2. two\n\n"
        "```python\ndef f():\n\n    return 1\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n"
        "> quoted\n\nEnd.\n\n[1]: https://example.org\n\n"
    )
    whole = render_markdown(text)
    assert 'href="https://example.org"' in whole
    assert render_markdown(text * 20) == whole * 20


def test_text_that_is_written_looks_as_it_will_and_only_its_end_is_rendered_again() -> None:
    block = (
        "A [link](https://example.org) and `code`.\n\n- one\n\n  more\n- two\n\n"
        "```python\nx = 1\n\ny = 2\n```\n\n"
    )
    text = "".join(f"# Part {number}\n\n{block}" for number in range(8))
    defined = f"{text}[1]: https://example.org\n\nSee [it][1]"
    assert rich_while_written(defined) == rich(defined)
    text += "End"
    assert rich_while_written(text) == rich(text)
    rendered = rich.cache_info().misses
    rich_while_written(f"{text} of it")
    assert rich.cache_info().misses == rendered + 1
    assert rich_while_written("a\n\n" * 5000) == rich("a\n\n" * 5000)
    assert rich.cache_info().misses == rendered + 2


def test_a_fence_that_is_too_long_shows_its_code_alone() -> None:
    html = render_markdown("Before.\n\n```css\n" + "a<b\n" * 10_000 + "```\n\nAfter.\n")
    assert html.startswith("<p>Before.</p>\n<pre>a&lt;b\n")
    assert html.endswith("a&lt;b</pre>\n<p>After.</p>\n")
    assert "```" not in html


def test_what_is_sanitised_is_what_was_rendered() -> None:
    assert "<script" not in rich("x" * 600 + "\n\n<script>alert(1)</script>\n\n" * 300)


FOLLOWED = '<a target="_blank" href="{0}" rel="noopener noreferrer nofollow">{1}</a>'
LINKED = {
    "See https://a.example/x_(y), then go.": f"See {FOLLOWED}, then go.".format(
        "https://a.example/x_(y)", "https://a.example/x_(y)"
    ),
    "(http://localhost:3000/?a=1)": f"({FOLLOWED})".format(
        "http://localhost:3000/?a=1", "http://localhost:3000/?a=1"
    ),
    "`https://a.example`": '<code dir="ltr">https://a.example</code>',
    "![A chart](https://a.example/1.png)": FOLLOWED.format("https://a.example/1.png", "A chart"),
    "[![ok](https://a.example/1.png)](https://a.example)": FOLLOWED.format(
        "https://a.example", "ok"
    ),
    "![A chart](out/my%20chart.png)": 'A chart <code dir="ltr">out/my chart.png</code>',
    "[main.py](/home/me/shop/main.py:12)": '<code dir="ltr">/home/me/shop/main.py:12</code>',
    "[`src/a.py`](src/a.py)": '<code dir="ltr">src/a.py</code>',
    "[the notes](docs/notes.md)": 'the notes <code dir="ltr">docs/notes.md</code>',
    "[below](#below)": "below",
    "[**x**](//evil.example/x)": '<code dir="ltr">//evil.example/x</code>',
}


@pytest.mark.parametrize("text", LINKED)
def test_addresses_can_be_followed_and_files_are_told_by_their_path(text: str) -> None:
    assert rich(text).strip() == f"<p>{LINKED[text]}</p>"


STALLS = """
from gevent import monkey
monkey.patch_all(queue=False)
import sys, time, gevent
from webui.markup.sanitizer import rich
text = ("[" * 19_000 + "\\n\\n") * 10
gaps = []
def tick():
    last = time.perf_counter()
    while True:
        gevent.sleep(0.001)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now
def work(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
def most(work):
    gaps.clear()
    before = time.perf_counter()
    work()
    took = time.perf_counter() - before
    return len(gaps), sorted(gaps)[len(gaps) * 9 // 10], max(gaps), took
ticking = gevent.spawn(tick)
gevent.sleep(0.05)
# The same machine, with a thread that only counts.
aside = most(lambda: gevent.get_hub().threadpool.apply(work, (1.0,)))
print(*most(lambda: rich(text)), aside[1])
"""


def test_others_are_served_while_markdown_is_rendered() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STALLS], capture_output=True, text=True, check=True, timeout=60
    )
    count, most, longest, took, aside = map(float, done.stdout.split())
    # On a thread of its own the interpreter switches every 5 ms; a busy machine adds to it.
    assert count > 5, done.stdout
    assert most < 5 * aside, done.stdout
    assert longest < took / 2 + 0.05, done.stdout
