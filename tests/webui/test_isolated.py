"""Right-to-left words of programs, as markup."""

from __future__ import annotations

import pytest

from webui.markup.isolated import isolated, isolated_command


def test_what_has_no_such_words_is_only_escaped() -> None:
    assert isolated("a <b> & 'ü' 日本") == "a &lt;b&gt; &amp; &#39;ü&#39; 日本"
    assert isolated_command('echo "<b>"') == "echo &#34;&lt;b&gt;&#34;"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("/srv/א/ב 7", "/srv/<bdi>א</bdi>/<bdi>ב</bdi> 7"),
        ("א ב, ג. ד", "<bdi>א ב, ג. ד</bdi>"),
        ("א/ב ג/ד", "<bdi>א</bdi>/<bdi>ב</bdi> <bdi>ג</bdi>/<bdi>ד</bdi>"),
        ("א ב-ג/ד ה", "<bdi>א</bdi> <bdi>ב-ג</bdi>/<bdi>ד</bdi> <bdi>ה</bdi>"),
        ("א ב ג/ד", "<bdi>א ב</bdi> <bdi>ג</bdi>/<bdi>ד</bdi>"),
        ("<i>א</i>", "&lt;i&gt;<bdi>א</bdi>&lt;/i&gt;"),
    ],
)
def test_each_phrase_of_a_text_is_apart(text: str, html: str) -> None:
    assert isolated(text) == html


@pytest.mark.parametrize(
    ("command", "html"),
    [
        ("mv א ב", "mv <bdi>א</bdi> <bdi>ב</bdi>"),
        ("mv א-ב_ג.txt ד", "mv <bdi>א-ב_ג</bdi>.txt <bdi>ד</bdi>"),
        ("echo 'א ב' ג ד", "echo &#39;<bdi>א ב</bdi>&#39; <bdi>ג</bdi> <bdi>ד</bdi>"),
        ('echo "it\'s" א ב', "echo &#34;it&#39;s&#34; <bdi>א</bdi> <bdi>ב</bdi>"),
    ],
)
def test_each_word_of_a_command_is_apart_but_quotes_hold_together(command: str, html: str) -> None:
    assert isolated_command(command) == html
