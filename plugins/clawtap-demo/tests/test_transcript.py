"""The demo agent keeps what was said, and the adapter reads it."""

from __future__ import annotations

from pathlib import Path

from clawtap_demo.adapter import describe_transcript, parse_transcript, transcript_sources
from clawtap_demo.agent.transcript import TranscriptFile
from clawtap_demo.agent.view import Block


def test_what_is_complete_is_kept_once_and_read_as_messages(tmp_path):
    env = {"HOME": str(tmp_path)}
    transcript = TranscriptFile("s1", env)
    blocks = [Block("◆", "Welcome"), Block("❯", "Tidy up"), Block("✻", "hm"), Block("◆", "I wi")]
    transcript.write(blocks, growing=True)
    transcript.write(blocks, growing=True)
    blocks[-1].text += "ll."
    blocks += [Block("⚙", "$ ls\nREADME"), Block("✗", "Not run: rm -rf /"), Block("✓", "Edited: a")]
    transcript.write(blocks, growing=False)
    (source,) = transcript_sources(env)
    (path,) = Path(source.root).glob(source.pattern)
    data = path.read_bytes()
    info = describe_transcript(str(path), data)
    assert (info.cli_session_id, info.title, info.cwd) == ("s1", "Tidy up", str(Path.cwd()))
    parsed = parse_transcript(data)
    assert [message.role for message in parsed.messages] == ["user", *["assistant"] * 5]
    assert parsed.messages[2].content[0].text == "I will."
    tools = [message.content[0] for message in parsed.messages[3:]]
    assert [(tool.tool_name, tool.status) for tool in tools] == [
        ("Shell", "success"),
        ("Shell", "cancelled"),
        ("Edit", "success"),
    ]
    assert parsed.messages[3].content[1].text == "README"


def test_nothing_is_kept_where_nothing_can_be(tmp_path):
    (tmp_path / "file").touch()
    transcript = TranscriptFile("s1", {"XDG_STATE_HOME": str(tmp_path / "file")})
    transcript.write([Block("◆", "Welcome"), Block("❯", "Hi")], growing=False)


def test_rubbish_is_skipped():
    assert parse_transcript(b"{\n3\n").skipped == 2
    assert describe_transcript("x", b"{}\n") is None
