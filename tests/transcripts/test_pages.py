"""The end of a transcript comes first; what is older is read when it is asked for."""

from __future__ import annotations

import pytest
from toy_transcripts import append, note, transcript_at, write

from clawtap_core.transcripts import pages
from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.pages import MessagePlace, Pages


@pytest.fixture
def long(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "FIRST", 2000)
    return write(tmp_path / "t.jsonl", *(note(f"m{n}") for n in range(1000)))


def names(found):
    messages, more = found
    return [message.id for message in messages], more


def test_the_last_messages_need_only_the_end_of_the_file(long, parse):
    assert names(Pages(transcript_at(long), parse).last(3)) == (["m997", "m998", "m999"], True)
    assert parse.bytes < 2500


def test_page_by_page_the_whole_conversation_comes_once_in_order(long, parse):
    read = Pages(transcript_at(long), parse)
    page, more = names(read.last(90))
    found = page
    while more:
        page, more = names(read.before(found[0], 90))
        found = page + found
    assert found == [f"m{n}" for n in range(1000)]
    assert parse.bytes < 4 * long.stat().st_size


def test_a_message_that_is_not_there_has_nothing_before_it(long, parse):
    assert Pages(transcript_at(long), parse).before("nobody", 5) is None


def test_a_short_file_has_no_more(tmp_path, parse):
    path = write(tmp_path / "t.jsonl", note("a"), note("b"))
    read = Pages(transcript_at(path), parse)
    assert names(read.last(50)) == (["a", "b"], False)
    append(path, note("c"))
    assert names(read.last(2)) == (["b", "c"], True)
    assert names(read.before("a", 5)) == ([], False)


def test_a_missing_file_says_nothing(tmp_path, parse):
    assert names(Pages(transcript_at(tmp_path / "none"), parse).last(5)) == ([], False)


def test_a_conversation_reports_changes_and_keeps_a_limited_number_of_messages(parse):
    a, b = parse(note("a") + note("b"), None).messages
    talk = Conversation(keep=2)
    assert talk.apply([a, b]) == [(None, a), (None, b)]
    assert talk.apply([a]) == []
    (changed,) = parse(note("a", "other"), None).messages
    assert talk.apply([changed]) == [(a, changed)]
    talk.apply(parse(note("c"), None).messages)
    assert names(talk.last(5)) == (["b", "c"], True)
    assert talk.before("b", 5) is None
    assert [message.id for message in talk.after("b", 5)] == ["c"]


def test_a_conversation_that_starts_over_reports_only_what_changed(parse):
    old, new = (
        parse(b"".join(note(name, text) for name, text in reported), None).messages
        for reported in (
            [("a", "one"), ("b", "two"), ("c", "three")],
            [("a", "one"), ("c", "other")],
        )
    )
    talk = Conversation()
    talk.apply(old)
    assert [(before.id, after.id) for before, after in talk.replace_all(new)] == [("c", "c")]
    assert talk.messages() == new


def test_messages_are_read_around_one_and_after_one(long, parse):
    read = Pages(transcript_at(long), parse)
    page = read.at(MessagePlace(around="m500"), 10)
    assert [message.id for message in page.messages] == [f"m{n}" for n in range(495, 505)]
    assert (page.more, page.newer) == (True, True)
    page = read.at(MessagePlace(after="m995"), 10)
    assert [message.id for message in page.messages] == ["m996", "m997", "m998", "m999"]
    assert (page.more, page.newer) == (True, False)
    page = read.at(MessagePlace(around="m1"), 10)
    assert [message.id for message in page.messages] == [f"m{n}" for n in range(10)]
    assert (page.more, page.newer) == (False, True)
    assert read.at(MessagePlace(before="m1"), 10).newer
    assert read.at(MessagePlace(around="nobody"), 10) is None
    assert [message.id for message in read.at(MessagePlace(), 2).messages] == ["m998", "m999"]
