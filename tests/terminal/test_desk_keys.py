"""A key of ours is pressed only while nobody else presses one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import until

from clawtap_core.terminal import desk_keys
from clawtap_core.terminal.api import DeskKeys
from clawtap_core.terminal.desk_keys import DeskWatch
from clawtap_core.terminal.timings import TerminalTimings
from clawtap_core.testing.leaks import tmux_folder

pytestmark = [pytest.mark.process, pytest.mark.tmux]


@pytest.fixture
def watched(desk, terminal, seen):
    """A pane in which `cat` shows the keys that came, and its id."""
    name = desk.new("cat")
    return terminal.watch(name, seen), name


PRESSES = """
import sys, time
from types import SimpleNamespace
from clawtap_core.terminal.tmux import TmuxTerminal
listener = SimpleNamespace(screen_changed=lambda screen: None, gone=lambda end, last: None)
terminal = TmuxTerminal(sys.argv[1])
terminal.watch(sys.argv[2], listener).press(sys.argv[3])
terminal.close()
"""


@pytest.fixture
def other_server(desk):
    """Press a key from another process that watches the same pane."""

    def press(pane, key):
        subprocess.run([sys.executable, "-c", PRESSES, desk.socket, pane, key], check=True)

    return press


def shown(pane, text):
    """Wait until the pane shows this."""
    screen = pane.look()
    for _ in range(100):
        if text in screen.text:
            return
        screen = pane.wait(screen.revision, 0.05)
    raise AssertionError(screen.text)


def test_nobody_has_typed_in_a_new_session(watched):
    pane, _ = watched
    assert pane.desk_keys == DeskKeys()
    assert pane.desk_settles_in() == 0


def test_nobody_has_typed_in_a_session_that_we_attach_to_later(desk, terminal, seen):
    name = desk.new("cat")
    made = int(desk.ask(name, "session_created"))
    until(lambda: time.time() >= made + 1)
    pane = terminal.watch(name, seen)
    assert int(desk.ask(name, "session_activity")) > made
    assert pane.desk_keys == DeskKeys()
    pane.close()


def test_a_key_is_pressed_while_nobody_types(watched):
    pane, _ = watched
    assert pane.press_alone("a", pane.desk_keys, "")
    shown(pane, "a")


def test_a_key_is_withheld_when_a_program_sent_one_since(desk, watched):
    pane, name = watched
    since = pane.desk_keys
    desk("send-keys", "-t", name, "x")
    assert not pane.press_alone("a", since, "")
    shown(pane, "x")
    assert pane.desk_settles_in() > 0
    assert "a" not in pane.look().text


def test_typing_at_the_desk_is_noticed_and_our_own_keys_are_not(desk, watched):
    pane, name = watched
    pane.press("b")
    shown(pane, "b")
    assert pane.desk_typed_at == 0
    before = time.time()
    desk("send-keys", "-t", name, "x")
    shown(pane, "x")
    assert before <= pane.desk_typed_at <= time.time()


def test_the_keys_of_another_server_are_those_of_others(desk, watched, other_server):
    pane, name = watched
    since = pane.desk_keys
    other_server(name, "b")
    assert not pane.press_alone("a", since, "")
    shown(pane, "b")
    assert pane.desk_keys.count == 1
    assert pane.press_alone("a", pane.desk_keys, "")
    shown(pane, "ba")


def test_the_count_of_a_server_that_has_ended_is_forgotten(
    desk, watched, terminal, seen, other_server
):
    _, name = watched
    other_server(name, "b")
    terminal.watch(name, seen)
    counts = desk("show-hooks", "-t", name, "after-send-keys")
    assert counts.count("after-send-keys[") == 1


def test_a_paste_of_others_counts_too(desk, watched):
    pane, name = watched
    since = pane.desk_keys
    desk("set-buffer", "-b", "theirs", "x")
    desk("paste-buffer", "-b", "theirs", "-t", name)
    assert not pane.press_alone("a", since, "")


def test_our_own_keys_do_not_count(watched):
    pane, _ = watched
    since = pane.desk_keys
    pane.press("b")
    pane.type("two words")
    pane.paste("three of them")
    assert pane.press_alone("c", since, "")
    shown(pane, "three of themc")
    assert pane.desk_keys == since
    assert pane.desk_settles_in() == 0


@pytest.mark.parametrize("timings", [TerminalTimings(key_shows=0.05)])
def test_a_key_is_withheld_until_the_program_has_read_what_others_typed(desk, terminal, seen):
    reads_late = "stty raw -echo; echo ready; tmux wait-for go; exec cat"
    name = desk.new("sh", "-c", reads_late)
    pane = terminal.watch(name, seen)
    shown(pane, "ready")
    desk("send-keys", "-t", name, "x")
    until(lambda: pane.look() and pane.desk_unread())
    end = time.monotonic() + 0.5  # many times as long as a key takes to show
    while time.monotonic() < end:
        assert pane.desk_settles_in() > 0
    assert not pane.press_alone("a", pane.desk_keys, "")
    desk("wait-for", "-S", "go")
    shown(pane, "x")
    # What had the terminal has ended a moment before the script became the program that reads.
    until(lambda: not pane._reader.is_gone())
    until(lambda: pane.desk_settles_in() == 0)
    assert not pane.desk_unread()
    assert pane.press_alone("a", pane.desk_keys, "")
    shown(pane, "xa")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc says who works")
@pytest.mark.parametrize("timings", [TerminalTimings(key_shows=0.5)])
def test_a_program_that_works_on_the_key_of_others_has_not_settled(desk, terminal, seen, tmp_path):
    goes_on = tmp_path / "goes-on"
    read_one = "stty raw -echo; echo ready; dd bs=1 count=1 of=/dev/null 2>&-"
    works = f"while [ ! -e {goes_on} ]; do :; done"
    name = desk.new("sh", "-c", f"{read_one}; {works}; echo done; exec cat")
    pane = terminal.watch(name, seen)
    shown(pane, "ready")
    desk("send-keys", "-t", name, "x")
    until(lambda: pane.look() and pane.desk_settles_in() > 0)
    end = time.monotonic() + 2  # several times as long as a key takes to show
    while time.monotonic() < end:
        assert pane.desk_settles_in() > 0
    goes_on.touch()
    shown(pane, "done")
    until(lambda: pane.desk_settles_in() == 0)


def test_a_key_is_withheld_when_the_text_that_it_answers_has_left(watched):
    pane, _ = watched
    pane.type("Do you want this")
    shown(pane, "this")
    assert not pane.press_alone("a", pane.desk_keys, "Do you want that")
    assert pane.press_alone("b", pane.desk_keys, "Do you want this")
    shown(pane, "thisb")


def test_a_hook_of_the_user_stays(desk, terminal, seen):
    desk.new("cat", name="first")
    desk("set-hook", "-g", "after-send-keys", "set-option -g @theirs yes")
    name = desk.new("cat", name="second")
    pane = terminal.watch(name, seen)
    desk("send-keys", "-t", name, "x")
    assert desk.ask(name, "@theirs") == "yes"
    pane.close()


@pytest.mark.parametrize("says", ["set-option -g @theirs yes", "display-message -p '%end 1 2 1'"])
@pytest.mark.parametrize(
    "command",
    ["capture-pane", "display-message", "select-pane", "send-keys", "set-option", "set-hook"],
)
def test_a_hook_of_the_user_after_a_command_of_ours_disturbs_nothing(
    desk, terminal, seen, command, says
):
    name = desk.new("cat")
    desk("set-hook", "-g", f"after-{command}", says)
    pane = terminal.watch(name, seen)
    assert pane.press_alone("a", pane.desk_keys, "")
    shown(pane, "a")
    pane.type("b c")
    shown(pane, "ab c")
    pane.paste("d")
    shown(pane, "ab cd")
    desk("set-hook", "-gu", f"after-{command}")
    pane.close()


def test_a_pane_that_is_let_go_is_left_as_it_was(desk, terminal, seen):
    name = desk.new("cat")
    terminal.claim(name, "someone")
    pane = terminal.watch(name, seen)
    pane.close()
    terminal.claim(name, None)
    shown = [desk("show-hooks", "-t", name)]
    shown += [desk("show-options", *of, "-t", name) for of in ((), ("-p",))]
    assert "@clawtap" not in "".join(shown)


def test_a_key_that_comes_right_after_ours_is_dropped(desk, watched):
    pane, name = watched
    assert pane.press_alone("a", pane.desk_keys, "")
    desk("send-keys", "-t", name, "x")
    pane.open_again()
    desk("send-keys", "-t", name, "y")
    shown(pane, "ay")


def test_nobody_is_locked_out_for_longer_than_a_moment(desk, watched):
    pane, name = watched
    assert pane.press_alone("a", pane.desk_keys, "")
    end = time.monotonic() + 20
    while desk.ask(name, "pane_input_off") == "1":
        assert time.monotonic() < end
        time.sleep(0.05)


def test_nobody_is_locked_out_when_our_connection_ends_right_after_the_key(desk, terminal, watched):
    pane, name = watched
    assert pane.press_alone("a", pane.desk_keys, "")
    terminal.close()
    end = time.monotonic() + 20
    while desk.ask(name, "pane_input_off") == "1":
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_pane_that_closes_after_our_key_leaves_no_message_in_another(desk, watched):
    pane, name = watched
    other = desk.new("cat", name="other")
    assert pane.press_alone("a", pane.desk_keys, "")
    desk("kill-pane", "-t", name)
    end = time.monotonic() + 20
    while "sleep" in desk("show-messages", "-J"):  # the shell that would let keys in again
        assert time.monotonic() < end
        time.sleep(0.05)
    assert desk.ask(other, "pane_in_mode") == "0"


def test_our_next_keys_go_in_at_once(watched):
    pane, _ = watched
    assert pane.press_alone("a", pane.desk_keys, "")
    pane.type("bc")
    assert pane.press_alone("d", pane.desk_keys, "")
    shown(pane, "abcd")
    pane.open_again()


def test_a_user_who_hooked_the_selection_of_panes_is_left_alone(desk, terminal, seen):
    desk.new("cat", name="first")
    desk("set-hook", "-g", "after-select-pane", "set-option -g @theirs yes")
    name = desk.new("cat", name="second")
    pane = terminal.watch(name, seen)
    assert pane.press_alone("a", pane.desk_keys, "")
    assert desk.ask(name, "pane_input_off") == "0"
    pane.close()


def test_a_clock_that_is_set_back_keeps_no_answer_waiting():
    watch = DeskWatch(TerminalTimings(key_shows=2.0), "/dev/null", group=-1)
    watch.captured("", "1", "")
    watch.captured(str(int(time.time()) + 3600), "1", "")
    assert 0 < watch.settles_in() <= 3.0
    watch.captured(str(int(time.time()) - 60), "1", "")
    assert watch.settles_in() == 0


@pytest.fixture
def keyboard(desk, tmp_path):
    """Type in a terminal that is attached to the desk's session; it stands in another tmux."""
    outer = type(desk)(f"{desk.socket}-outer", tmp_path)
    attach = ("-L", desk.socket, "-f", str(tmp_path / "tmux.conf"), "attach-session")
    screen = outer.new("env", "-u", "TMUX", "tmux", *attach)

    def attached():
        return "terminal" in desk("list-clients", "-F", "#{?client_control_mode,,terminal}")

    until(attached)
    yield lambda *keys: outer("send-keys", "-t", screen, *keys)
    outer("-N", "kill-server", check=False)
    until(lambda: not attached())
    (tmux_folder() / outer.socket).unlink(missing_ok=True)


def typed(desk, pane, keyboard, name, key="x"):
    """Press a key, in another second than the last one, and return how the pane took it."""
    before = int(desk.ask(name, "session_activity"))
    until(lambda: time.time() >= before + 1)
    keyboard(key)
    until(lambda: int(desk.ask(name, "session_activity")) > before)
    pane.look()
    return pane.desk_settles_in()


@pytest.mark.parametrize("where", ["new-window", "split-window"])
def test_what_is_typed_in_another_pane_of_the_session_holds_nothing_up(
    desk, watched, keyboard, where
):
    pane, name = watched
    assert typed(desk, pane, keyboard, name) > 0
    desk(where, "cat")
    # Whoever has just left the pane may have typed there.
    until(lambda: pane.look() and not pane.desk_keys.in_front and pane.desk_settles_in() == 0)
    since = pane.desk_keys
    assert typed(desk, pane, keyboard, name) == 0
    assert pane.desk_keys.typed_at == since.typed_at
    assert pane.press_alone("a", pane.desk_keys, "")
    assert pane.press_alone("b", since, "")  # something was typed since, but not here


def test_somebody_who_comes_to_the_pane_withholds_our_key(desk, watched, keyboard):
    pane, name = watched
    there = desk("new-window", "-P", "-F", "#{pane_id}", "cat")
    until(lambda: pane.look() and not pane.desk_keys.in_front and pane.desk_settles_in() == 0)
    since = pane.desk_keys
    desk("select-window", "-t", name)
    until(lambda: desk.ask(there, "window_active") == "0")
    assert typed(desk, pane, keyboard, name) > 0
    assert not pane.press_alone("a", since, "")


def test_a_terminal_whose_keys_go_to_all_panes_of_the_window_types_here_too(
    desk, watched, keyboard
):
    pane, name = watched
    desk("split-window", "-t", name, "cat")
    until(lambda: pane.look() and not pane.desk_keys.in_front and pane.desk_settles_in() == 0)
    desk("set-option", "-w", "-t", name, "synchronize-panes", "on")
    until(lambda: pane.look() and pane.desk_keys.in_front)
    assert typed(desk, pane, keyboard, name) > 0


def test_a_cli_at_work_has_not_settled_though_nobody_asked_for_a_moment(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(desk_keys.time, "monotonic", lambda: now[0])
    works = [True]

    def scan(group):
        now[0] += 0.7  # a busy machine has hundreds of processes to look through
        return works[0]

    monkeypatch.setattr(desk_keys, "group_at_work", scan)
    watch = DeskWatch(TerminalTimings(key_shows=2.0), "/dev/null", group=1)
    watch.captured("", "1", "")
    watch.captured("", "1", "1")
    for _ in range(5):
        assert watch.settles_in() > 0
        now[0] += 1.0
    works[0] = False
    watch.settles_in()
    now[0] += 1.0
    assert watch.settles_in() == 0


def test_a_visit_between_two_captures_counts():
    watch = DeskWatch(TerminalTimings(key_shows=2.0), "/dev/null", group=-1)
    now = int(time.time())
    watch.captured(str(now - 60), "", "")
    watch.captured(str(now), "", "")
    assert watch.settles_in() == 0
    watch._captured_at -= 1.5
    watch.captured(str(now + 1), "", "")
    assert watch.settles_in() > 0
