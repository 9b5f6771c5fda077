"""A transcript is read once, as it grows, whatever becomes of its file."""

from __future__ import annotations

import json
import os

import pytest
from patience import until
from toy_transcripts import Notes, append, note, write

from clawtap_core import Parsed
from clawtap_core.transcripts import reader
from clawtap_core.transcripts.cpu_budget import SHARE, CpuBudget
from clawtap_core.transcripts.reader import AppendedFile, EarlierFile, RewrittenFile


def unlimited() -> CpuBudget:
    """A budget whose clock stands still, so that no machine is too busy for a read."""
    return CpuBudget(lambda: 0.0)


def ids(file):
    return [message.id for parsed in file.read() for message in parsed.messages]


def test_what_is_appended_is_read_once(tmp_path, parse):
    path = write(tmp_path / "t.jsonl", note("a"), note("b"))
    file = AppendedFile(path, parse)
    assert ids(file) == ["a", "b"]
    assert ids(file) == []
    append(path, note("c"))
    assert ids(file) == ["c"]
    assert parse.bytes == path.stat().st_size


def test_a_line_that_is_half_written_waits_for_its_end(tmp_path, parse):
    whole = note("b", "long enough")
    path = write(tmp_path / "t.jsonl", note("a"), whole[:9])
    file = AppendedFile(path, parse)
    assert ids(file) == ["a"]
    append(path, whole[9:])
    assert ids(file) == ["b"]


def test_the_state_of_one_reading_goes_into_the_next(tmp_path, parse):
    path = write(tmp_path / "t.jsonl", note("a"))
    file = AppendedFile(path, parse)
    assert [parsed.state for parsed in file.read()] == [1]
    append(path, note("b"), note("c"))
    assert [parsed.state for parsed in file.read()] == [3]


def test_a_file_that_is_replaced_or_becomes_shorter_is_read_again_from_the_start(
    tmp_path, parse, caplog
):
    path = write(tmp_path / "t.jsonl", note("a"), note("b"))
    file = AppendedFile(path, parse)
    assert ids(file) == ["a", "b"]
    other = write(tmp_path / "other", note("x"), note("y"), note("z"))
    other.replace(path)
    assert ids(file) == ["x", "y", "z"]
    assert file.replaced
    write(path, note("q"))
    assert ids(file) == ["q"]
    assert "was replaced" in caplog.text


def test_a_file_that_vanished_is_logged_once_and_read_when_it_is_back(tmp_path, parse, caplog):
    path = write(tmp_path / "t.jsonl", note("a"))
    file = AppendedFile(path, parse)
    assert ids(file) == ["a"]
    path.unlink()
    assert ids(file) == ids(file) == []
    assert caplog.text.count("cannot be read") == 1
    write(path, note("a"), note("b"))
    assert ids(file)[-1] == "b"


@pytest.mark.parametrize("kind", [AppendedFile, RewrittenFile])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_put_in_place_of_a_file_holds_nobody_up(tmp_path, parse, caplog, kind, make):
    path = write(tmp_path / "t.jsonl", note("a"))
    file = kind(path, parse)
    assert ids(file) == ["a"]
    path.unlink()
    make(path)
    # On a busy machine a file that is rewritten whole has to wait for its share of a core.
    until(lambda: ids(file) == [] and "cannot be read" in caplog.text)


def test_broken_lines_harm_nothing(tmp_path, parse):
    path = write(tmp_path / "t.jsonl", note("a"), b"{broken\n", b"\xff\n", note("b"))
    (parsed,) = AppendedFile(path, parse).read()
    assert ([m.id for m in parsed.messages], parsed.skipped) == (["a", "b"], 2)


def test_what_was_passed_over_is_counted_until_the_file_is_another(tmp_path, parse):
    path = write(tmp_path / "t.jsonl", note("a"), b"{broken\n")
    file = AppendedFile(path, parse)
    assert ids(file) == ["a"]
    append(path, b"[]\n")
    assert ids(file) == []
    assert dict(file.skipped) == {reader.UNEXPLAINED: 2}
    write(path, note("b"))
    assert ids(file) == ["b"]
    assert not file.skipped


def test_a_line_that_is_too_long_is_left_out(tmp_path, parse, monkeypatch, caplog):
    monkeypatch.setattr(reader, "CHUNK", 4096)
    monkeypatch.setattr(reader, "LONGEST_LINE", 20_000)
    path = write(tmp_path / "t.jsonl", note("a"), note("b", "x" * 50_000), note("c"))
    file = AppendedFile(path, parse)
    assert ids(file) == ["a", "c"]
    assert "too long" in caplog.text
    append(path, note("d"))
    assert ids(file) == ["d"]


def test_a_long_transcript_is_given_in_pieces_and_a_line_of_50_mb_not_at_all(tmp_path, parse):
    short = note("a", "x" * 1000) * 1500
    path = write(tmp_path / "t.jsonl", short, b"x" * (50 << 20) + b"\n", short, note("c"))
    assert ids(AppendedFile(path, parse))[-1] == "c"
    assert parse.bytes == 2 * len(short) + len(note("c"))
    assert max(map(len, parse.given)) <= reader.CHUNK


def test_a_reading_that_begins_in_a_line_waits_for_its_end(tmp_path, parse):
    whole = note("a", "long enough")
    path = write(tmp_path / "t.jsonl", whole[:9])
    file = AppendedFile(path, parse, start=4)
    assert ids(file) == []
    append(path, whole[9:], note("b"))
    assert ids(file) == ["b"]
    assert not file.skipped


def test_a_long_line_that_is_not_too_long_is_read(tmp_path, parse, monkeypatch):
    monkeypatch.setattr(reader, "CHUNK", 4096)
    path = write(tmp_path / "t.jsonl", note("a"), note("b", "x" * 50_000), note("c"))
    assert ids(AppendedFile(path, parse)) == ["a", "b", "c"]


def test_a_parser_that_gives_nothing_stops_nothing(tmp_path):
    path = write(tmp_path / "t.jsonl", note("a"))
    file = AppendedFile(path, lambda data, state: None)
    assert list(file.read()) == []
    assert file.offset == path.stat().st_size


def whole(data, state):
    try:
        reply = json.loads(data)
    except ValueError:
        return Parsed(0)
    return Notes()(b"".join(note(name) for name in reply), None)


def test_a_rewritten_file_is_parsed_when_its_content_changed(tmp_path):
    seen = []

    def parse(data, state):
        seen.append(data)
        return whole(data, state)

    path = write(tmp_path / "t.json", b'["a"]')
    file = RewrittenFile(path, parse, pace=unlimited())
    assert ids(file) == ["a"]
    assert ids(file) == []
    os.utime(path)
    assert ids(file) == []
    write(path, b'["b"]')
    os.utime(path, ns=(1, 1))
    assert ids(file) == ["b"]
    assert seen == [b'["a"]', b'["b"]']


def test_what_the_parser_noted_of_a_whole_file_is_given_to_it_again(tmp_path):
    path = write(tmp_path / "t.json", b"a")
    noted = []

    def parse(data, state):
        noted.append(state)
        return (
            Parsed(len(data), data.decode(), replaces_all=data == b"c")
            if data != b"b"
            else Parsed(0)
        )

    file = RewrittenFile(path, parse, pace=unlimited())
    for data, replaced in ((b"a", False), (b"b", False), (b"c", True), (b"d", False)):
        write(path, data)
        os.utime(path, ns=(1, ord(data)))
        list(file.read())
        assert file.replaced is replaced
    assert noted == [None, "a", "a", "c"]


def test_a_whole_file_that_is_long_to_read_is_left_for_as_long_as_its_share_needs(tmp_path):
    clock, cost, read = [0.0], 2.0, []

    def parse(data, state):
        clock[0] += cost
        read.append(json.loads(data))
        return whole(data, state)

    path = tmp_path / "t.json"
    file = RewrittenFile(path, parse, pace=CpuBudget(lambda: clock[0]))
    for number in range(1000):
        write(path, json.dumps([f"n{number}"]).encode())
        os.utime(path, ns=(1, number))
        list(file.read())
        clock[0] += 0.1
    assert len(read) * cost <= 1.1 * SHARE * clock[0]
    clock[0] += cost / SHARE
    list(file.read())
    assert read[-1] == ["n999"]


def test_a_file_caught_half_written_is_read_again(tmp_path):
    path = write(tmp_path / "t.json", b'["a", "b')
    file = RewrittenFile(path, whole, pace=unlimited())
    assert ids(file) == []
    assert file.unfinished
    write(path, b'["a", "b"]')
    assert ids(file) == ["a", "b"]
    assert not file.unfinished


def test_a_large_rewritten_file_is_worth_one_warning(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(reader, "LARGE", 10)
    path = write(tmp_path / "t.json", b'["a", "b", "c"]')
    file = RewrittenFile(path, whole, pace=unlimited())
    list(file.read())
    write(path, b'["a", "b", "c", "d"]')
    list(file.read())
    assert caplog.text.count("is rewritten whole") == 1


def test_a_line_of_256_mb_without_an_end_is_passed_over_once_in_pieces(tmp_path, parse, caplog):
    path = write(tmp_path / "t.jsonl", note("a"))
    os.truncate(path, 1 << 28)
    file = AppendedFile(path, parse)
    assert ids(file) == ["a"]
    assert file.offset <= 2 * reader.CHUNK + reader.LONGEST_LINE + reader.PASSED_AT_ONCE
    while file.unfinished:
        before = file.offset
        assert ids(file) == []
        assert file.offset - before <= reader.PASSED_AT_ONCE
    assert file.offset == 1 << 28
    assert caplog.text.count("too long") == 1
    append(path, b"\n", note("b"))
    assert ids(file) == ["b"]


@pytest.fixture
def continued(tmp_path, parse):
    """A file that goes on after the second line of one, which goes on after the first of another.

    The reader takes an offset in all of it.
    """
    first = write(tmp_path / "first.jsonl", note("a"), note("x"))
    second = write(tmp_path / "second.jsonl", note("b"), note("c"), note("y"))
    path = write(tmp_path / "t.jsonl", note("d"))
    one, two = len(note("a")), len(note("b") + note("c"))
    earlier = (EarlierFile(first, one), EarlierFile(second, two))
    return lambda start=0: AppendedFile(path, parse, start=start, earlier=earlier)


def test_a_file_that_continues_others_is_read_after_what_it_has_of_them(continued):
    file = continued()
    assert ids(file) == ["a", "b", "c", "d"]
    append(file.path, note("e"))
    assert ids(file) == ["e"]


@pytest.mark.parametrize(("lines", "left"), [(0.5, "bcd"), (1, "bcd"), (2.5, "d"), (3, "d")])
def test_an_offset_counts_the_files_that_are_continued(continued, lines, left):
    assert ids(continued(round(len(note("a")) * lines))) == list(left)


def test_a_file_that_is_replaced_is_read_again_with_what_it_continues(continued, tmp_path):
    file = continued()
    assert ids(file) == ["a", "b", "c", "d"]
    write(tmp_path / "other", note("e")).replace(file.path)
    assert ids(file) == ["a", "b", "c", "e"]
    assert file.replaced
