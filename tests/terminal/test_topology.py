"""Following panes that move, and letting go of what is not needed."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from patience import until

pytestmark = pytest.mark.tmux


def watchers(desk):
    """The tmux sessions to which a watching client is attached."""
    lines = desk("list-clients", "-F", "#{client_flags} #{session_name}").splitlines()
    sessions = [line.split()[1] for line in lines if "ignore-size" in line]
    return sorted(name for name in sessions if not name.startswith("clawtap-keeper"))


@pytest.fixture
def watched(terminal, desk, seen):
    """A pane of the user's, watched, beside another session of theirs."""
    desk.new("cat", name="other")
    name = desk.new("cat", name="home")
    desk("split-window", "-d", "-t", name, "cat")
    pane = terminal.watch(name, seen)
    seen.until(lambda: seen.screens)
    assert watchers(desk) == ["home"]
    return pane


def still_heard(desk, pane, seen, text):
    desk("send-keys", "-t", pane.id, text)
    seen.shows(text)
    assert seen.ended is None


@pytest.mark.parametrize(
    ("move", "session"),
    [
        (("join-pane", "-d", "-s", "PANE", "-t", "other:"), "other"),
        (("move-pane", "-d", "-s", "PANE", "-t", "other:"), "other"),
        (("break-pane", "-d", "-s", "PANE"), "home"),
        (("break-pane", "-d", "-s", "PANE", "-t", "other:7"), "other"),
        (("move-window", "-d", "-s", "home:", "-t", "other:7"), "other"),
        (("swap-pane", "-d", "-s", "PANE", "-t", "other:0.0"), "other"),
        (("rename-session", "-t", "home", "renamed"), "renamed"),
    ],
)
def test_a_pane_that_moves_is_heard_where_it_is(watched, desk, seen, move, session):
    desk(*(watched.id if word == "PANE" else word for word in move))
    until(lambda: watchers(desk) == [session])
    still_heard(desk, watched, seen, "moved")


def test_programs_may_send_keys_to_a_watched_pane(watched, desk):
    # tmux 3.7 refuses them where all clients of the session are read-only.
    assert desk("list-clients", "-F", "#{client_readonly}").split() == ["0", "0"]


def test_a_linked_window_is_heard_once_and_also_when_its_first_session_ends(watched, desk, seen):
    desk("link-window", "-d", "-s", "home:", "-t", "other:7")
    still_heard(desk, watched, seen, "linked")
    assert watchers(desk) == ["home"]
    desk("kill-session", "-t", "home")
    until(lambda: watchers(desk) == ["other"])
    still_heard(desk, watched, seen, "kept")


def test_a_session_that_ends_takes_its_pane_also_where_clients_are_moved_on(watched, desk, seen):
    desk("set-option", "-g", "detach-on-destroy", "off")
    desk("kill-session", "-t", "home")
    assert seen.end() == "closed"
    until(lambda: watchers(desk) == [])


@pytest.mark.parametrize("how", ["kill-pane", "kill-window"])
def test_a_pane_that_is_closed_is_gone(watched, desk, seen, how):
    desk(how, "-t", watched.id)
    assert seen.end() == "closed"
    until(lambda: watchers(desk) == [])


def test_sessions_are_let_go_when_nothing_is_watched_there(watched, desk):
    watched.close()
    until(lambda: watchers(desk) == [])


def test_panes_of_one_session_share_a_watcher(watched, terminal, desk, another):
    names = desk("list-panes", "-s", "-t", "home", "-F", "#{pane_id}").splitlines()
    seen = another()
    pane = terminal.watch(names[1], seen)
    assert watchers(desk) == ["home"]
    still_heard(desk, pane, seen, "second")
    pane.close()
    watched.look()
    assert watchers(desk) == ["home"]


def test_a_resize_changes_the_screen_though_the_program_says_nothing(watched, desk, seen):
    desk("resize-window", "-t", watched.id, "-x", "60", "-y", "11")
    seen.until(lambda: seen.screens[-1].cols == 60)
    assert len(seen.screens[-1].captured) == seen.screens[-1].rows


def test_watching_does_not_resize_what_the_desk_sees(terminal, desk, seen, start):
    for option in ("latest", "largest", "smallest"):
        desk("set-option", "-g", "window-size", option, check=False)
        name = desk.new("cat", name=option)
        pane = terminal.watch(name, seen)
        desk("refresh-client", check=False)
        assert (pane.look().cols, pane.look().rows) == (80, 24)
        pane.close()


def test_a_watcher_that_the_desk_detaches_comes_back(watched, desk, seen):
    desk("detach-client", "-s", "home")
    until(lambda: watchers(desk) == ["home"])
    still_heard(desk, watched, seen, "back")


def test_a_paused_pane_is_captured_and_goes_on(watched, desk, seen):
    client = next(
        line.split()[0]
        for line in desk("list-clients", "-F", "#{client_name} #{client_flags}").splitlines()
        if "pause-after" in line
    )
    desk("refresh-client", "-t", client, "-A", f"{watched.id}:pause")
    still_heard(desk, watched, seen, "one")
    still_heard(desk, watched, seen, "two")


def test_a_watcher_that_does_not_read_does_not_hold_up_the_program(
    watched, terminal, desk, seen, monkeypatch
):
    release = threading.Event()
    monkeypatch.setattr(terminal._capture_timer, "mark", lambda _: release.wait(30))
    busy = "dd if=/dev/zero bs=64k count=100 2>/dev/null | tr '\\0' x; touch done; cat"
    try:
        desk("respawn-pane", "-k", "-c", str(desk.home), "-t", watched.id, busy)
        until((desk.home / "done").exists, 20)
    finally:
        release.set()


@pytest.mark.parametrize("_", range(3))
def test_losing_the_command_client_is_not_the_end_of_a_pane(watched, desk, seen, _):
    lines = desk("list-clients", "-F", "#{client_pid} #{session_name}").splitlines()
    (commands,) = (int(line.split()[0]) for line in lines if "clawtap-keeper" in line)
    desk("send-keys", "-t", watched.id, "before")
    os.kill(commands, signal.SIGKILL)
    still_heard(desk, watched, seen, "after")
    desk("resize-window", "-t", watched.id, "-x", "70")
    seen.until(lambda: seen.screens[-1].cols == 70)


def test_the_end_of_the_tmux_server_ends_every_watch(watched, desk, seen, terminal):
    desk("kill-server")
    assert seen.end() == "tmux ended"
    assert seen.ended[1] is not None
    assert terminal.panes() == ()
    assert not watched.runs_cli()
