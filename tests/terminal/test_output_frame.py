"""What a program paints in several goes is seen when it is whole."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from pathlib import Path

import pytest
from patience import until

from clawtap_core.host import Host
from clawtap_core.terminal.control_parser import Notice
from clawtap_core.terminal.output_frame import PIECE, OutputFrame, output_data
from clawtap_core.terminal.timings import TerminalTimings
from clawtap_core.terminal.version import REPORTS_OUTPUT, installed_version, parse_version

HERE = Path(__file__).parent
# The machine may be busy for longer than a program pauses within a frame.
LATE_FRAMES = pytest.mark.parametrize("timings", [TerminalTimings(frame_ends=20.0)], ids=[""])
BEGIN, END = b"\\033[?2026h", b"\\033[?2026l"


@pytest.fixture
def reported_output():
    """A tmux that reports what a pane writes; without that, frames are not known."""
    if (parse_version(installed_version()) or REPORTS_OUTPUT) < REPORTS_OUTPUT:
        pytest.skip("this tmux reports no output")


def open_after(*pieces):
    """Whether more is expected after each piece; each comes a second later."""
    frame = OutputFrame()
    return [frame.feed(piece, float(second)) for second, piece in enumerate(pieces)]


def test_a_frame_goes_on_until_its_synchronized_update_ends():
    assert open_after(b"text", BEGIN + b"half", b"more", b"rest" + END) == [
        False,
        True,
        True,
        False,
    ]


def test_a_mark_that_is_cut_in_two_counts():
    assert open_after(BEGIN[:-1], b"h" + b"half", b"rest" + END[:-3], END[-3:])[1:] == [
        True,
        True,
        False,
    ]


def test_a_write_that_linux_cut_goes_on():
    full, ends = b"x" * PIECE, b"x" * (PIECE - 3) + b"\\015\\012" * 3
    assert open_after(full, full + full, ends, b"rest", b"x" * 3000) == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_pieces_that_tmux_divided_count_as_one():
    frame = OutputFrame()
    assert not frame.feed(b"x" * 2730, 1.0)
    assert frame.feed(b"x" * 1366, 1.0001)


def test_escapes_of_tmux_count_as_what_they_stand_for():
    assert open_after(b"\\033" * PIECE, b"\\134" * (PIECE - 100)) == [True, False]


@pytest.mark.parametrize(
    "notice", [Notice("output", b"%1 a : b"), Notice("extended-output", b"%1 12 : a : b")]
)
def test_the_data_of_a_notice_is_all_that_the_pane_printed(notice):
    assert output_data(notice) == b"a : b"


class Program:
    """A pane that paints what a test writes."""

    def __init__(self, start, tmp_path):
        self.pipe = tmp_path / "pieces"
        os.mkfifo(self.pipe)
        self.pane = start(sys.executable, "-S", str(HERE / "feeder.py"), str(self.pipe))
        self.descriptor = os.open(self.pipe, os.O_RDWR)

    def paint(self, data):
        os.write(self.descriptor, data)


@pytest.fixture
def program(start, tmp_path):
    program = Program(start, tmp_path)
    yield program
    os.close(program.descriptor)


def record_output(pane):
    """The pieces of output that are reported from now on."""
    pieces, add_output = [], pane.add_output
    pane.add_output = lambda data: (pieces.append(data), add_output(data))[1]
    return pieces


@pytest.mark.tmux
@pytest.mark.usefixtures("reported_output")
@LATE_FRAMES
def test_half_a_frame_is_neither_reported_nor_looked_at(terminal, program, seen):
    pane = terminal.watch(program.pane, seen)
    seen.shows("ready")
    heard = record_output(pane)
    program.paint(b" now")
    seen.shows("ready now")
    until(lambda: b"now" in b"".join(heard))
    # tmux reports output over another connection than the screen: a capture for what was painted
    # so far must not see the next frame before its report is here.
    until(lambda: pane._screen_piece == pane._pieces)
    until(lambda: not (terminal._capture_timer._due or pane._asked))
    program.paint(b"\x1b[?2026h\x1b[H\x1b[2Jallow ./s0")
    until(lambda: not pane._is_whole(time.monotonic()))
    program.paint(b".sh *\x1b[?2026l")
    assert pane.look().text == "allow ./s0.sh *"
    seen.shows("allow ./s0.sh *")
    assert "allow ./s0" not in [screen.text for screen in seen.screens]


@pytest.mark.tmux
@pytest.mark.usefixtures("reported_output")
@LATE_FRAMES
def test_a_screen_that_was_whole_is_reported_though_a_frame_began_before(terminal, program, seen):
    """So a prompt stood there and nobody was told: its frame ended without another change."""
    busy, heard = threading.Event(), seen.screen_changed
    seen.screen_changed = lambda screen: (heard(screen), "busy" in screen.text and busy.wait())
    pane = terminal.watch(program.pane, seen)
    seen.shows("ready")
    program.paint(b" busy")
    seen.shows("ready busy")
    program.paint(b"\x1b[H\x1b[2Jallow ./s0.sh *")
    until(lambda: pane.look().text == "allow ./s0.sh *" and pane._is_whole(time.monotonic()))
    program.paint(b"\x1b[?2026h")
    until(lambda: not pane._is_whole(time.monotonic()))
    busy.set()
    until(lambda: pane._state._waiters)
    program.paint(b"\x1b[?2026l")
    seen.shows("allow ./s0.sh *")


@pytest.mark.tmux
@pytest.mark.usefixtures("reported_output")
def test_a_frame_that_never_ends_is_seen_in_time(terminal, program, seen):
    terminal.watch(program.pane, seen)
    seen.shows("ready")
    program.paint(b"\x1b[?2026h\x1b[H\x1b[2Jwaits for ever")
    seen.shows("waits for ever")


class Replay:
    """A pane of 120x40 that paints the recorded output of a CLI."""

    def __init__(self, terminal, program, seen, desk, name):
        self.program, self.seen = program, seen
        self.adapter = Host.installed().adapter(name.partition("-")[0])
        recorded = json.loads(HERE.joinpath("streams", f"{name}.json").read_text("utf-8"))
        self.pieces = [text.encode("latin-1") for _, text in recorded]
        desk("resize-window", "-t", program.pane, "-x", "120", "-y", "40")
        self.terminal, self.pane = terminal, terminal.watch(program.pane, seen)
        seen.until(lambda: seen.screens and seen.screens[-1].cols == 120)
        seen.shows("ready")
        self.painted = self.printed = 0
        self.unfinished = False
        self.add_output, self.pane.add_output = self.pane.add_output, self._note_output

    def _note_output(self, data):
        interval, left = self.add_output(data)
        self.printed += len(data) - 3 * data.count(b"\\")
        self.unfinished = left > 0
        return interval, left

    def paint(self, data):
        """Paint, and wait until the listener has the screen, unless more of its frame follows."""
        self.program.paint(data)
        self.painted += len(data)
        until(lambda: self.printed >= self.painted)
        # tmux answers in order: whatever was asked for before is here, then this very screen.
        self.terminal.server()
        self.pane.capture()
        self.terminal.server()
        if not self.unfinished:
            revision = self.pane.wait(0, 0).revision
            self.seen.until(lambda: self.seen.screens[-1].revision >= revision)

    def forms(self, chance=None):
        """The prompts that were seen; with `chance` each piece comes in two."""
        first = len(self.seen.screens)
        self.paint(b"\x1b[?1049l\x1b[0m\x1b[H\x1b[2Jbegins")
        for piece in self.pieces:
            at = chance.randrange(1, len(piece)) if chance and len(piece) > 1 else len(piece)
            for part in filter(None, (piece[:at], piece[at:])):
                self.paint(part)
        self.paint(b"\x1b[?2026l\x1b[?1049l\x1b[0m\x1b[H\x1b[2Jends")
        self.seen.shows("ends")
        forms = (self.adapter.detect_prompt(screen) for screen in self.seen.screens[first:])
        return [form for form in forms if form]


@pytest.fixture
def replay(terminal, program, seen, desk):
    return lambda name: Replay(terminal, program, seen, desk, name)


def meaning(form):
    return form.title, form.description, tuple(option.label for option in form.options)


@pytest.mark.tmux
@pytest.mark.usefixtures("reported_output")
@LATE_FRAMES
@pytest.mark.parametrize(
    "name",
    ["claude-2.1.85", "codex-0.116.0", "codex-0.169.0", "gemini-0.34.0", "gemini-0.61.0"],
)
def test_no_half_prompt_is_seen_wherever_a_cli_is_cut_short(replay, name):
    """Real output, each piece of it cut at a place drawn by chance."""
    cli = replay(name)
    whole = set(map(meaning, cli.forms()))
    assert whole
    assert set(map(meaning, cli.forms(random.Random(7)))) <= whole


@pytest.mark.tmux
@pytest.mark.usefixtures("reported_output")
@LATE_FRAMES
def test_a_label_that_claude_paints_in_two_frames_counts_when_it_is_complete(replay):
    forms = replay("claude-2.1.330").forms()
    assert {form.options[1].label for form in forms if not form.provisional} == {
        "Yes, and don’t ask again for: ./s0.sh *",
        "Yes, and don’t ask again for: ./s1.sh *",
    }
    assert {form.options[1].label for form in forms if form.provisional} == {
        "Yes, and don’t ask again for: ./s0.sh",
        "Yes, and don’t ask again for: ./s1.sh",
    }
