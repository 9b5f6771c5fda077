"""A pane whose program shows another tmux, with a status line of its own."""

from __future__ import annotations

import pytest
from patience import until

from clawtap_core.system.processes import command_line
from clawtap_core.testing.leaks import tmux_folder

pytestmark = pytest.mark.tmux
SAYS = "echo it asks; exec cat"


@pytest.fixture
def inner(desk, tmp_path):
    """A tmux server of which the desk's pane shows a session."""
    inner = type(desk)(f"{desk.socket}-inner", tmp_path)
    yield inner
    inner("-N", "kill-server", check=False)
    (tmux_folder() / inner.socket).unlink(missing_ok=True)


@pytest.mark.parametrize("place", ["bottom", "top", "off"])
def test_the_status_line_of_the_inner_tmux_is_no_row_of_the_cli(
    terminal, desk, inner, seen, tmp_path, place
):
    status = (
        ("set-option", "-g", "status", "off")
        if place == "off"
        else ("set-option", "-g", "status-position", place)
    )
    inner("new-session", "-d", "-s", "nested", "sh", "-c", SAYS, ";", *status)
    attach = ("-L", inner.socket, "-f", str(tmp_path / "tmux.conf"), "attach-session")
    shown = desk.new("env", "-u", "TMUX", "tmux", *attach)
    terminal.claim(shown, "s1")
    terminal.watch(shown, seen)
    screen = seen.shows("it asks")
    assert len(screen.captured) == 24
    assert screen.text.strip() == "it asks"
    assert "[nested]" not in screen.text


GREEN, PLAIN = r"\e[30;42m", r"\e[0m"


@pytest.fixture
def shows(terminal, desk, seen):
    """The screen of a program of this name that paints these rows."""

    def show(program, *rows):
        paint = "".join(f"\\e[{24 - len(rows) + at};1H{row}" for at, row in enumerate(rows, 1))
        pane = desk.new("bash", "-c", f"exec -a {program} sh -c \"printf '{paint}'; read line\"")
        until(lambda: command_line(int(desk.ask(pane, "pane_pid")))[0] == program)
        terminal.claim(pane, "s1")
        terminal.watch(pane, seen)
        return seen.shows("it asks")

    return show


@pytest.mark.parametrize("program", ["ssh", "cat"])
def test_a_status_line_that_ssh_shows_is_no_row_of_the_cli(shows, program):
    screen = shows(program, "it asks", f"{GREEN}{'[0] 0:bash':71}28-Nov-26{PLAIN}")
    assert ("[0] 0:bash" in screen.text) == (program == "cat")


def test_a_last_row_in_the_colour_of_the_one_above_is_the_clis_own(shows):
    filled = (f"{GREEN}{row:79}|" for row in ("it asks", "its own footer"))
    assert "its own footer" in shows("ssh", *filled).text
