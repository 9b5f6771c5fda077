"""A pane whose program is another tmux, with a status line of its own."""

from __future__ import annotations

import pytest

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
