"""Transcripts are found where the adapter says, and nowhere else."""

from __future__ import annotations

import json
import os
import types

import pytest
from toy_transcripts import Notes, append, note, write

from clawtap_core import (
    AdapterInfo,
    EarlierTranscript,
    TranscriptInfo,
    TranscriptSource,
    hookimpl,
)
from clawtap_core.host import Host
from clawtap_core.transcripts.library import Library


@pytest.fixture
def library(tmp_path):
    @hookimpl
    def adapter_info():
        return AdapterInfo("notes", "Notes")

    @hookimpl
    def transcript_sources(env, cwd):
        return [TranscriptSource(env["HOME"] + "/notes", f"{cwd or '*'}/*.jsonl")]

    @hookimpl
    def describe_transcript(path, head):
        if not head.startswith(b"{"):
            return None
        name = path.rsplit("/", 1)[-1].removesuffix(".jsonl")
        if path.endswith(".name"):
            return TranscriptInfo("", origin=head.decode().strip("{} ") or None)
        companions = "../*/wire.jsonl" if name == "wire" else f"{name}/*.jsonl"
        about = json.loads(head.split(b"\n")[0])
        return TranscriptInfo(
            about.get("conversation", name),
            title=about["text"],
            cwd_file=".folder",
            companions=companions,
            origin_file=f"{name}.name",
            continues=EarlierTranscript(*about["continues"]) if "continues" in about else None,
            revision=about.get("revision", ""),
        )

    notes = Notes()

    @hookimpl
    def parse_transcript(data, state):
        return notes(data, state)

    plugin = types.ModuleType("notes_plugin")
    for hook in (adapter_info, transcript_sources, describe_transcript, parse_transcript):
        setattr(plugin, hook.__name__, hook)
    host = Host()
    host.add(plugin, "notes")
    library = Library(host.adapter("notes"), {"HOME": str(tmp_path)})
    library.parser = notes
    return library


def test_transcripts_of_a_folder_or_of_all_come_newest_first(library, tmp_path):
    for number, name in enumerate(("p/a", "p/b", "q/c")):
        path = write(tmp_path / f"notes/{name}.jsonl", note("x"))
        os.utime(path, (1000 + number, 1000 + number))
    assert [each.info.cli_session_id for each in library.find()] == ["c", "b", "a"]
    assert [each.info.cli_session_id for each in library.find("p")] == ["b", "a"]
    assert [each.info.cli_session_id for each in library.find(since=1002)] == ["c"]


def test_a_transcript_that_its_cli_moved_is_found_again(library, tmp_path):
    there = write(tmp_path / "notes/p/a.jsonl", note("x"))
    (held,) = library.find("p")
    assert library.moved(held) is None
    there.rename(write(tmp_path / "notes/q/b.jsonl", note("y")).with_name("a.jsonl"))
    moved = library.moved(held)
    assert moved
    assert (moved.path, moved.info) == (tmp_path / "notes/q/a.jsonl", held.info)
    moved.path.unlink()
    assert library.moved(held) is None


def test_a_transcript_names_the_files_that_it_continues_up_to_the_first(library, tmp_path):
    def line(text, **about):
        return json.dumps({"id": text, "text": text, "role": "user", **about}).encode() + b"\n"

    first = write(tmp_path / "notes/p/a-1.jsonl", line("a"), note("x"))
    second = write(
        tmp_path / "notes/q/b-2.jsonl", line("b", continues=["*-1.jsonl", len(line("a"))])
    )
    write(tmp_path / "notes/p/c.jsonl", line("c", continues=["?-2.jsonl", 7]))
    write(tmp_path / "notes/p/d.jsonl", line("d", continues=["gone.jsonl", 7]))
    write(tmp_path / "notes/p/round.jsonl", line("e", continues=["round.jsonl", 7]))
    found = {each.path.stem: each for each in library.find()}
    assert [(each.path, each.end) for each in found["c"].earlier] == [
        (first, len(line("a"))),
        (second, 7),
    ]
    assert (found["c"].info.title, found["d"].info.title) == ("a", "d")
    assert found["d"].earlier == ()
    assert [message.id for message in library.tail(found["b-2"])] == ["a", "b"]


def test_of_several_files_of_a_conversation_the_newest_revision_is_in_use(library, tmp_path):
    for name, about in {
        "a": {"conversation": "talk"},
        "b": {"conversation": "talk", "revision": "2"},
        "c": {"conversation": "talk", "revision": "1"},
    }.items():
        line = json.dumps({"id": name, "text": name * len(name), "role": "user", **about})
        write(
            tmp_path / f"notes/p/{name}.jsonl", line.encode() + b"\n", *[note("x")] * (name != "b")
        )
    (transcript,) = library.conversations()
    assert transcript.path.stem == "b"


def test_a_link_out_of_the_root_is_not_followed(library, tmp_path):
    secret = write(tmp_path / "secret.jsonl", note("x"))
    (tmp_path / "notes/p").mkdir(parents=True)
    (tmp_path / "notes/p/link.jsonl").symlink_to(secret)
    assert library.find() == []
    assert library.at(secret) is None
    assert library.at(tmp_path / "notes/../secret.jsonl") is None


def test_hostile_names_and_folders_without_rights_stop_nothing(library, tmp_path):
    write(tmp_path / "notes/p/new\nline\x1b[31m.jsonl", note("x"))
    write(tmp_path / "notes/p/rubbish.jsonl", b"\x00\x01")
    write(tmp_path / "notes/p/empty.jsonl")
    (tmp_path / "notes/p/folder.jsonl").mkdir()
    locked = tmp_path / "notes/locked"
    locked.mkdir(mode=0)
    try:
        assert len(library.find()) == 1
    finally:
        locked.chmod(0o700)


def test_the_folder_comes_from_the_file_that_holds_it(library, tmp_path):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    write(tmp_path / "notes/p/.folder", b"/home/me/proj\n")
    assert library.at(path).info.cwd == "/home/me/proj"


@pytest.mark.parametrize("before", [None, b""], ids=["missing", "empty"])
def test_the_file_that_holds_the_folder_may_be_written_later(library, tmp_path, before):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    if before is not None:
        write(tmp_path / "notes/p/.folder", before)
    assert library.at(path).info.cwd is None
    write(tmp_path / "notes/p/.folder", b"/home/me/proj\n")
    assert library.at(path).info.cwd == "/home/me/proj"


def test_a_pipe_in_place_of_the_file_that_holds_the_folder_holds_nobody_up(library, tmp_path):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    os.mkfifo(tmp_path / "notes/p/.folder")
    assert library.at(path).info.cwd is None


def test_companions_are_found_beside_their_transcript(library, tmp_path):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    other = write(tmp_path / "notes/p/a/agent.jsonl", note("y"))
    assert [each.path for each in library.companions(library.at(path))] == [other]


def test_companions_may_be_in_folders_beside_that_of_their_transcript(library, tmp_path):
    path = write(tmp_path / "notes/session/main/wire.jsonl", note("x"))
    other = write(tmp_path / "notes/session/agent/wire.jsonl", note("y"))
    secret = write(tmp_path / "secret/wire.jsonl", note("z"))
    (tmp_path / "notes/session/link").symlink_to(secret.parent)
    found = library.companions(library.at(path))
    assert [each.path for each in found] == [other]


def test_a_file_beside_a_subagents_transcript_names_it_also_when_it_comes_later(library, tmp_path):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    other = write(tmp_path / "notes/p/a/agent.jsonl", note("y"))
    assert [each.info.origin for each in library.companions(library.at(path))] == [None]
    write(tmp_path / "notes/p/a/agent.name", b"{Look around}")
    append(other, note("z"))
    assert [each.info.origin for each in library.companions(library.at(path))] == ["Look around"]


def test_the_end_of_a_transcript_is_read_once_until_it_changes(library, tmp_path):
    path = write(tmp_path / "notes/p/a.jsonl", note("x"))
    assert [message.id for message in library.tail(library.at(path))] == ["x"]
    library.tail(library.at(path))
    assert len(library.parser.given) == 1
    append(path, note("y"))
    assert [message.id for message in library.tail(library.at(path))] == ["x", "y"]
