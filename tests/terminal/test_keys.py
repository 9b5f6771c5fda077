"""What is sent to a pane arrives there, byte for byte, and nowhere else."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawtap_core.errors import Conflict
from clawtap_core.terminal import keys

pytestmark = pytest.mark.tmux

NASTY = "~$HOME #{pid} #(touch x) \"q\" 'p' \\n; kill-server { } % %if é 日本 🎉 -l -- `id` !$ ^C"
printable = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)


def arrives(file, wanted: bytes, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while len(got := file.read_bytes()) < len(wanted) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert got == wanted


@pytest.fixture
def typing(terminal, reader, seen):
    """Watch a program that keeps what it reads; the pane and the file."""

    def begin(*flags):
        name, file = reader(*flags)
        pane = terminal.watch(name, seen)
        seen.shows("ready")
        return pane, file

    return begin


def test_typed_text_arrives_byte_for_byte(typing):
    pane, file = typing()
    pane.type(NASTY)
    arrives(file, NASTY.encode())


def test_a_long_line_arrives_whole(typing):
    pane, file = typing()
    text = "0123456789é" * 1000
    pane.type(text)
    arrives(file, text.encode())


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("Enter", b"\r"),
        ("Escape", b"\x1b"),
        ("Tab", b"\t"),
        ("BTab", b"\x1b[Z"),
        ("Down", b"\x1b[B"),
        ("C-c", b"\x03"),
        ("Space", b" "),
        ("BSpace", b"\x7f"),
        ("y", b"y"),
        (";", b";"),
        ("-", b"-"),
        ('"', b'"'),
        ("$", b"$"),
        ("~", b"~"),
        ("#", b"#"),
        ("M-x", b"\x1bx"),
    ],
)
def test_keys_are_pressed_by_name(typing, key, sent):
    pane, file = typing()
    pane.press(key)
    arrives(file, sent)


def test_a_paste_is_bracketed_where_the_program_asked_for_it(typing):
    pane, file = typing("bracketed")
    pane.paste(f"{NASTY}\n\tsecond\n")
    arrives(file, b"\x1b[200~" + f"{NASTY}\r\tsecond\r".encode() + b"\x1b[201~")


def test_a_paste_of_100_kb_arrives_whole(typing, terminal, desk):
    pane, file = typing("bracketed")
    text = "".join(f"{number}: {NASTY}\n" for number in range(1000))
    pane.paste(text)
    arrives(file, b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")
    assert desk("list-buffers") == ""


def test_a_paste_cannot_end_its_bracket(typing):
    pane, file = typing("bracketed")
    pane.paste("a\x1b[201~\rrm -rf\x9b201~\x00b\r\nc")
    arrives(file, b"\x1b[200~a[201~\rrm -rf201~b\rc\x1b[201~")


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=printable, how=st.sampled_from(["type", "paste"]))
def test_any_text_arrives_as_it_is(stream, text, how):
    pane, file = stream
    before = file.read_bytes()
    getattr(pane, how)(text)
    pane.press("F1")
    arrives(file, before + text.encode() + b"\x1bOP")


@pytest.fixture
def stream(typing):
    return typing()


@pytest.mark.parametrize("text", ["a\nb", "\x1b[A", "a\x00", "\x7f", "\x9b", "tab\t"])
def test_control_characters_are_not_typed(text):
    with pytest.raises(ValueError, match="control characters"):
        keys.type_text("%1", text)


@pytest.mark.parametrize("key", ["Entr", "", "ab", "Enter ; kill-server", "\n"])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(ValueError, match="not a key"):
        keys.press("%1", key)


def test_copy_mode_is_left_before_a_key(typing, desk):
    pane, file = typing()
    desk("copy-mode", "-t", pane.id)
    desk("copy-mode", "-t", pane.id, "-u")
    pane.type("q")
    pane.press("Enter")
    arrives(file, b"q\r")
    assert desk.ask(pane.id, "pane_in_mode") == "0"


def test_keys_do_not_go_to_other_panes_too(typing, desk):
    pane, file = typing()
    desk("split-window", "-t", pane.id, "cat")
    desk("set-option", "-w", "-t", pane.id, "synchronize-panes", "on")
    for send in (lambda: pane.press("y"), lambda: pane.type("y"), lambda: pane.paste("y")):
        with pytest.raises(Conflict) as caught:
            send()
        assert caught.value.code == "panes_synchronized"
    assert file.read_bytes() == b""


def test_a_pane_whose_input_is_off_is_said(typing, desk):
    pane, file = typing()
    desk("select-pane", "-t", pane.id, "-d")
    with pytest.raises(Conflict) as caught:
        pane.press("y")
    assert caught.value.code == "pane_input_off"
    assert file.read_bytes() == b""


def test_empty_text_is_nothing(typing, terminal, start):
    pane, file = typing()
    pane.type("")
    pane.paste("\x1b")
    pane.press("x")
    arrives(file, b"x")
    assert sys.executable
