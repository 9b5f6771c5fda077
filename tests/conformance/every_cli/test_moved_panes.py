"""What people do with a pane and the program in it while an agent works, on the real CLIs."""

from __future__ import annotations

import os
import signal

import pytest
from every_cli import on_every_version
from patience import until
from shell_at_the_desk import (
    open_shell,
    quit_by_command,
    quit_by_keys,
    run_in_shell,
    start_command,
)

pytestmark = on_every_version
NUMBERS = iter(range(1000))


def zoom(tmux, pane):
    tmux("split-window", "-d", "-t", pane, "sleep 600")
    tmux("resize-pane", "-Z", "-t", pane)


def swap(tmux, pane):
    other = tmux("new-window", "-dP", "-F", "#{pane_id}", "sleep 600").strip()
    tmux("swap-pane", "-d", "-s", pane, "-t", other)


def break_out(tmux, pane):
    tmux("split-window", "-d", "-t", pane, "sleep 600")
    tmux("break-pane", "-d", "-s", pane)


def scroll_back(tmux, pane):
    tmux("copy-mode", "-t", pane)
    tmux("send-keys", "-t", pane, "-X", "history-top")


@pytest.mark.parametrize("change", [zoom, swap, break_out, scroll_back])
def test_a_prompt_is_answered_wherever_its_pane_went(testbed, own, change):
    talk = own()
    talk.idle(90)
    name = f"moved{next(NUMBERS)}.txt"
    prompt = talk.do(testbed.cli.turns.shell(f"touch {name} && ls"))
    change(testbed.desk.tmux, talk.seat.pane)
    reply = talk.approve(prompt)
    if reply.status == 409:
        # It was drawn again for another size just then: it may come as a prompt of its own.
        assert "nothing was decided" in reply.body["error"], reply
        (waits,) = until(talk.pending)
        reply = talk.approve(waits)
    assert (reply.status, reply.body.get("state")) == (200, "answered"), (reply, talk.seat.text())
    talk.finish()
    assert (talk.cwd / name).exists()
    talk.play()
    said = talk.say()
    talk.finish()
    assert talk.log.times_said(said) == 1


@pytest.mark.parametrize(
    ("change", "back", "remedy"),
    [
        (
            "set-option -w -t {} synchronize-panes on",
            "set-option -w -t {} synchronize-panes off",
            "synchronize-panes off",
        ),
        ("select-pane -d -t {}", "select-pane -e -t {}", "select-pane -e"),
    ],
    ids=["synchronized", "without input"],
)
def test_where_keys_would_go_astray_none_is_pressed_and_the_remedy_is_named(
    testbed, own, change, back, remedy
):
    talk = own()
    talk.idle(90)
    name = f"kept{next(NUMBERS)}.txt"
    prompt = talk.do(testbed.cli.turns.shell(f"touch {name} && ls"))
    pane, tmux = talk.seat.pane, testbed.desk.tmux
    tmux("split-window", "-d", "-t", pane, "cat")
    tmux(*change.format(pane).split())
    reply = talk.approve(prompt)
    assert reply.status == 409, reply
    assert remedy in reply.body["error"], reply
    assert not (talk.cwd / name).exists()
    tmux(*back.format(pane).split())
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / name).exists()


def test_a_cli_that_stands_still_runs_the_command_once(testbed, own):
    talk = own()
    talk.idle(90)
    name = f"still{next(NUMBERS)}.txt"
    prompt = talk.do(testbed.cli.turns.shell(f"echo ran >> {name}"))
    pid = int(testbed.desk.tmux("display-message", "-p", "-t", talk.seat.pane, "#{pane_pid}"))
    os.killpg(pid, signal.SIGSTOP)
    try:
        reply = talk.approve(prompt)
    finally:
        os.killpg(pid, signal.SIGCONT)
    assert reply.status in (200, 409, 502, 503), reply
    waits = until(lambda: talk.pending() or ((talk.cwd / name).exists() and [None]), 60)[0]
    if waits:
        assert talk.approve(waits).status == 200
    talk.finish()
    assert (talk.cwd / name).read_text() == "ran\n"


def test_a_cli_that_is_started_again_in_its_pane_is_watched_again(testbed, own):
    known = own()  # the CLI trusts its folder now
    known.idle(90)
    known.leave()
    seat = open_shell(testbed, known.cwd)
    for number in range(2):
        run_in_shell(seat, start_command(testbed))
        talk = testbed.adopt(seat.pane, known.cwd)
        talk.idle(90)
        prompt = talk.do(testbed.cli.turns.shell(f"touch again{number}.txt && ls"))
        assert talk.approve(prompt).status == 200
        talk.finish()
        assert (talk.cwd / f"again{number}.txt").exists()
        quit_by_keys(talk) if number else quit_by_command(talk)
    seat.close()
