"""The agent's parts without a terminal: keys, flags, scenarios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from clawtap_demo.agent import __main__ as agent
from clawtap_demo.agent.keys import Key, KeyDecoder


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"a\r", [Key("Text", "a"), Key("Enter")]),
        ("ö🦁".encode(), [Key("Text", "ö"), Key("Text", "🦁")]),
        (b"\x1b[A\x1bOB\x1b[Z", ["Up", "Down", "BTab"]),
        (b"\x1b[5~\x1b[6~\x1b[3~", ["PageUp", "PageDown", "DC"]),
        (b"\x03\x15\x7f\n", ["C-c", "C-u", "BSpace", "Newline"]),
        (b"\x1b[200~two\nlines\x1b[201~x", [Key("Paste", "two\nlines"), Key("Text", "x")]),
        (b"\x1bx", ["M-x"]),
        (b"\xff", [Key("Text", "\ufffd")]),
    ],
)
def test_keys_are_named_whatever_the_pieces(data: bytes, keys: list[Key | str]) -> None:
    for size in (1, len(data)):
        decoder = KeyDecoder()
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        found = [key for piece in pieces for key in decoder.feed(piece)]
        assert [key if isinstance(wanted, Key) else key.name
                for key, wanted in zip(found, keys, strict=True)] == keys  # fmt: skip
        assert not decoder.incomplete


def test_a_lone_escape_waits_for_what_follows() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.incomplete
    assert decoder.flush() == [Key("Escape")]
    assert decoder.feed(b"\x1b\x1b[A") == [Key("Escape"), Key("Up", "\x1b[A")]


@pytest.mark.parametrize(
    "flags",
    [
        ["--show", "nonsense"],
        ["--script", "nowhere.json"],
        ["--model", "gpt"],
        [],
    ],
)
def test_wrong_flags_and_no_terminal_are_usage_errors(
    flags: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(SystemExit) as ended:
        agent.main(flags)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "{}", "[1]", '[["x"]]', '[[{"nonsense": 1}]]'])
def test_an_unknown_scenario_is_reported(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "s.json"
    script.write_text(text)
    with pytest.raises(SystemExit):
        agent.main(["--script", str(script)])
    assert "--script" in capsys.readouterr().err


def test_the_agent_needs_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules); import clawtap_demo.agent.__main__;"
        "print({name.split('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'clawtap_demo'}\n"
