"""Watching a pane: what it shows, when that is reported, when it ends."""

from __future__ import annotations

import logging
import os
import threading
import time
from dataclasses import replace

import pytest

from clawtap_core.errors import NotFound
from clawtap_core.terminal import exit_status, watched_pane
from clawtap_core.terminal.capture import read_capture
from clawtap_core.terminal.foreground import end_group
from clawtap_core.terminal.timings import TerminalTimings

pytestmark = pytest.mark.tmux


def test_the_first_screen_is_reported_at_once(terminal, start, seen):
    pane = terminal.watch(start("sh", "-c", "printf 'hello\\n'; exec cat"), seen)
    screen = seen.shows("hello")
    assert (screen.cols, screen.rows, screen.alternate) == (80, 24, False)
    assert pane.id == "%1"


def test_output_changes_the_screen_and_its_revision(terminal, start, seen):
    pane = terminal.watch(start("cat"), seen)
    before = pane.look()
    pane.type("abc")
    after = seen.shows("abc")
    assert after.revision > before.revision
    assert after.cursor == (3, 0)
    assert pane.look() == pane.look() == after


def test_a_screen_has_title_cursor_and_alternate_screen(terminal, start, seen):
    draw = r"printf '\033[?1049h\033[?25l\033]2;%%H #{pid} #[bold] t\303\251\007\033[31mred'"
    terminal.watch(start("sh", "-c", draw + "; exec cat"), seen)
    screen = seen.shows("red")
    assert (screen.alternate, screen.cursor_visible) == (True, False)
    assert screen.title == "%H #{pid} #[bold] té"
    assert screen.captured[0].removesuffix("\x1b[39m") == "\x1b[31mred"  # tmux 3.5 resets


def test_the_last_state_of_a_flood_is_seen_with_few_captures(terminal, start, seen):
    pane = terminal.watch(start("sh", "-c", "echo ready; exec sh"), seen)
    seen.shows("ready")
    begun = time.monotonic()
    pane.type("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i; done; echo fin''ished")
    pane.press("Enter")
    seen.shows("finished")
    assert len(seen.screens) < (time.monotonic() - begun) / 0.03 + 10


def test_wait_returns_a_later_screen_or_the_one_there_is(terminal, start, seen):
    pane = terminal.watch(start("cat"), seen)
    screen = pane.look()
    assert pane.wait(screen.revision, 0.01) == screen
    threading.Timer(0.05, pane.type, ("x",)).start()
    assert pane.wait(screen.revision, 20).revision > screen.revision
    assert pane.wait(0, 60).revision > 0


def test_a_listener_may_look_wait_and_type_itself(terminal, start):
    done = threading.Event()

    class Typist:
        def screen_changed(self, screen):
            if done.is_set() or not ready.wait(60):
                return
            pane.type("me")
            while "me" not in screen.text:
                screen = pane.wait(screen.revision, 60)
            done.set()

        def gone(self, end, last):
            pass

    ready = threading.Event()
    pane = terminal.watch(start("cat"), Typist())
    ready.set()
    assert done.wait(60)


def test_a_listener_that_raises_hears_the_next_change(terminal, start, seen, caplog):
    class Clumsy:
        def screen_changed(self, screen):
            seen.screen_changed(screen)
            raise RuntimeError("clumsy")

        def gone(self, end, last):
            pass

    with caplog.at_level(logging.ERROR):
        pane = terminal.watch(start("cat"), Clumsy())
        pane.type("again")
        seen.shows("again")
    assert "listener failed" in caplog.text


def test_a_slow_listener_does_not_hold_up_other_panes(terminal, start, seen):
    release = threading.Event()

    class Slow:
        def screen_changed(self, screen):
            release.wait(60)

        def gone(self, end, last):
            pass

    slow = terminal.watch(start("cat"), Slow())
    pane = terminal.watch(start("cat"), seen)
    slow.type("s")
    pane.type("quick")
    seen.shows("quick")
    release.set()


def test_two_watches_of_one_pane_both_hear(terminal, start, seen, another):
    one, other = start("cat"), another()
    pane = terminal.watch(one, seen)
    terminal.watch(one, other).close()
    pane.type("a")
    seen.shows("a")
    assert "a" not in other.screens[-1].text if other.screens else True


def test_a_program_that_ends_leaves_its_last_screen_and_its_status(terminal, start, seen):
    pane = terminal.watch(start("sh", "-c", "echo; echo bye; read x; exit 3"), seen)
    seen.shows("bye")
    pane.press("Enter")
    assert seen.end() == "ended with status 3"
    assert seen.ended[1].text.lstrip().startswith("bye")
    assert not pane.runs_cli()
    assert pane.wait(10**6, 60) == seen.ended[1]
    assert [facts.dead for facts in terminal.panes()] == [True]


def test_a_screen_that_is_older_than_the_end_does_not_lose_the_status(
    terminal, start, seen, monkeypatch
):
    """As on a busy machine, where tmux notices the end between its reply and our look."""
    late = []

    def read_late(*reply):
        capture = read_capture(*reply)
        if capture and capture.dead and len(late) < 2:
            late.append(capture)
            return replace(capture, dead=False, end=None)
        return capture

    monkeypatch.setattr(watched_pane, "read_capture", read_late)
    pane = terminal.watch(start("sh", "-c", "read x; exit 3"), seen)
    pane.press("Enter")
    assert seen.end() == "ended with status 3"
    assert late


@pytest.mark.parametrize("timings", [TerminalTimings(exit_status=0.2)])
@pytest.mark.parametrize("dead", [True, False])
def test_a_status_that_tmux_has_not_collected_is_waited_for(
    terminal, timings, desk, start, seen, monkeypatch, dead
):
    since, collected = [], []

    def read_uncollected(*reply):
        capture = read_capture(*reply)
        if not (capture and capture.dead):
            return capture
        since.append(time.monotonic())
        # Whoever asks between two captures gets the same answer.
        # A busy tmux may itself not know the status yet.
        knows = capture.end is not None and capture.end.status is not None
        if since[-1] > since[0] + 2 * timings.exit_status and knows:
            collected.append(capture)
        return capture if collected else replace(capture, dead=dead, end=None)

    monkeypatch.setattr(watched_pane, "read_capture", read_uncollected)
    monkeypatch.setattr(exit_status, "uncollected", lambda pid: not collected)
    monkeypatch.setattr(watched_pane, "group_ended", lambda *_: bool(collected))
    pane = terminal.watch(start("sh", "-c", "read x; exit 3"), seen)
    pane.press("Enter")
    while not since:
        desk("run-shell", "true")  # tmux may miss the end of a child until another one ends
        time.sleep(0.01)
    assert seen.end() == "ended with status 3"


def test_a_pane_that_is_respawned_is_gone_and_shows_nothing_of_what_follows(
    terminal, desk, start, seen
):
    name = start("sh", "-c", "echo asks; cat")
    pane = terminal.watch(name, seen)
    before = seen.shows("asks")
    desk("respawn-pane", "-k", "-t", name, "echo somebody else; cat")
    assert seen.end() == "its pane was respawned"
    assert seen.ended[1].text == before.text
    assert not [screen for screen in seen.screens if "somebody" in screen.text]
    assert not pane.runs_cli()


def test_a_pane_that_is_respawned_is_gone_though_its_program_ignores_the_hang_up(
    terminal, desk, start, seen
):
    name = start("sh", "-c", "trap '' HUP; echo asks; while :; do sleep 0.05; done")
    pane = terminal.watch(name, seen)
    seen.shows("asks")
    desk("respawn-pane", "-k", "-t", name, "echo somebody else; cat")
    assert seen.end() == "its pane was respawned"
    end_group(pane.group, 0)


def test_what_a_pane_shows_after_its_program_ended_is_only_its_last_screen(terminal, start, seen):
    """Such as the line that tmux writes: a prompt that it covers was not answered."""
    clear = r"read x; printf '\033[2Jlast words'; exit 3"
    pane = terminal.watch(start("sh", "-c", f"stty -echo; echo asks; {clear}"), seen)
    seen.shows("asks")
    pane.press("Enter")
    assert seen.end() == "ended with status 3"
    assert "last words" in seen.ended[1].text
    assert not [screen for screen in seen.screens if "Pane is dead" in screen.text]


def test_a_program_that_is_killed_ends_with_its_signal(terminal, desk, start, seen):
    name = start("sleep", "100")
    pane = terminal.watch(name, seen)
    assert pane.runs_cli()
    os.kill(int(desk.ask(name, "pane_pid")), 9)
    assert seen.end() == "ended by signal 9"


def test_a_dead_pane_that_is_watched_is_gone_at_once(terminal, desk, start, seen):
    name = start("true")
    while desk.ask(name, "pane_dead_status") == "":
        desk("run-shell", "true")  # tmux may miss the end of a child until another one ends
        time.sleep(0.01)
    terminal.watch(name, seen)
    assert seen.end() == "ended with status 0"


def test_a_pane_that_is_killed_is_gone(terminal, start, seen):
    name = start("cat")
    pane = terminal.watch(name, seen)
    terminal.kill(name)
    assert seen.end() == "closed"
    with pytest.raises(NotFound):
        pane.look()
    with pytest.raises(NotFound):
        pane.press("a")


def test_watching_a_pane_that_is_not_there_is_refused(terminal, start, seen):
    start("cat")
    with pytest.raises(NotFound) as caught:
        terminal.watch("%999", seen)
    assert caught.value.code == "pane_not_found"


def test_after_close_nothing_is_reported_and_the_pane_stays(terminal, desk, start, seen):
    name = start("cat")
    pane = terminal.watch(name, seen)
    seen.until(lambda: seen.screens)
    pane.close()
    reported = len(seen.screens)
    desk("send-keys", "-t", name, "later")
    time.sleep(0.1)
    assert len(seen.screens) == reported
    assert desk.ask(name, "pane_dead") == "0"
