"""Screens that mislead: late ones, blank ones, moving ones, and what a broken adapter reads."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from fake_terminal import Toy, until
from flask import Flask
from manual_time import ManualTime

from clawtap_core import Kind, LaunchRequest, PromptState, SeenState, SessionState
from clawtap_core.model import Screen
from clawtap_core.prompts.screen_timings import ScreenTimings
from clawtap_core.runtime.timings import Timings
from clawtap_core.server.sse import Subscription, stream
from clawtap_core.terminal.api import PaneEnd


def written(desk, kind):
    return [event for event in desk.journal.read(0, 1000) if event.type == kind]


def test_a_screen_that_comes_late_is_not_taken_for_a_new_one(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    late = desk.pane.look()
    desk.toy.choose("No")
    desk.show()
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.live.screen_changed(late)
    assert list(desk.transport().pending()) == []
    assert len(written(desk, "approval_required")) == 1
    assert prompt


def test_a_blank_screen_between_two_paintings_does_not_end_the_prompt(open_desk):
    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()
    text, desk.toy.text = desk.toy.text, lambda: ""
    desk.show()
    time.sleep(0.1)
    desk.toy.text = text
    desk.show()
    until(lambda: desk.live.sighting and desk.live.sighting.screen.text)
    assert desk.prompt() == prompt


def test_a_text_that_a_smaller_pane_cuts_stays_whole_also_after_a_blank_screen(open_desk):
    """Once in six times a smaller pane of the demo agent showed a blank frame first."""
    desk = open_desk(Toy("touch a.txt b.txt"))
    prompt = desk.prompt()
    text, desk.toy.text = desk.toy.text, lambda: ""
    desk.pane.size = (60, 13)
    desk.show()
    desk.toy.text = text
    desk.toy.asks = ["touch a.txt…"]
    desk.show()
    until(lambda: "…" in desk.live.sighting.screen.text)
    form = desk.prompt().form
    assert (desk.prompt().request_id, form.truncated) == (prompt.request_id, False)
    assert form.description == "touch a.txt b.txt"


def test_a_blank_screen_after_the_key_is_not_the_outcome(open_desk):
    from clawtap_core import Response
    from clawtap_core.errors import NotConfirmed

    desk = open_desk(Toy("touch a"), timings=Timings(answer_leaves=0.3))
    prompt = desk.prompt()
    text = desk.toy.text

    def blanks(_):
        desk.toy.text = lambda: ""
        desk.show()
        desk.toy.text = text

    desk.toy.key = blanks
    with pytest.raises(NotConfirmed):
        desk.transport().respond(desk.session_id, Response(prompt.request_id, "yes"))


@pytest.mark.parametrize(("rows", "why"), [(8, "too small"), (24, "nothing shows why")])
def test_a_prompt_that_a_pane_became_too_small_for_was_not_answered(open_desk, rows, why):
    """Seen on Claude Code 2.1.332, which has no room for its list in ten rows."""
    desk = open_desk(Toy("touch a"), timings=Timings(screens=ScreenTimings(resize_grace=0.2)))
    prompt = desk.prompt()
    desk.pane.size = (80, rows)
    desk.toy.odd = "a part of the list"
    desk.show()
    until(lambda: written(desk, "prompt_resolved"), 5)
    ended = desk.transport().prompt(prompt.request_id).resolution
    assert ended.outcome is PromptState.CANCELLED
    assert why in (ended.detail or "")
    until(lambda: desk.prompt().form.kind is Kind.UNKNOWN, 5)


def test_a_blank_screen_is_no_prompt(open_desk):
    toy, clock = Toy(), ManualTime()
    desk = open_desk(toy, scheduler=clock.scheduler)
    desk.live.adapter.detect_state = lambda *_: None
    toy.text = lambda: ""
    desk.show()
    clock.advance(60)
    assert list(desk.transport().pending()) == []


def test_what_moves_on_an_unknown_screen_is_not_written_frame_by_frame(open_desk):
    toy = Toy()
    toy.odd = "Launch the rockets?"
    # Longer than a busy machine may pause between two frames.
    patient = ScreenTimings(unknown_changes=3)
    desk = open_desk(toy, timings=Timings(screens=patient))
    desk.prompt()
    for number in range(20):
        toy.odd = f"Launch the rockets? In {number} s"
        desk.show()
        time.sleep(0.01)
    for word in ("ab", "abc", "abcd", "abcde"):
        toy.odd = f"Launch the rockets? {word}"
        desk.show()
        time.sleep(0.05)
    until(lambda: desk.prompt().form.screen == toy.odd, 10)
    assert len(written(desk, "prompt_updated")) == 1


def test_rubbish_from_an_adapter_becomes_a_prompt_with_a_key_pad(open_desk):
    desk = open_desk(Toy("touch a", "touch b"))
    adapter = desk.live.adapter
    hooks = adapter._calls.hooks
    detect = hooks["detect_prompt"]
    adapter._calls.hooks = {
        **hooks,
        "detect_prompt": lambda screen: (
            (form := detect(screen=screen))
            and replace(form, title=None, tool_input={"x": object()})
        ),
        "detect_state": lambda **_: SeenState("idle"),
    }
    desk.toy.choose("No")
    desk.show()
    prompt = until(
        lambda: next((p for p in desk.transport().pending() if p.form.kind is Kind.UNKNOWN), None)
    )
    assert "ASK touch b" in prompt.form.screen
    assert "detect_" in adapter.health
    screen = desk.transport().screen(desk.session_id)
    desk.transport().keys(desk.session_id, screen.revision, keys=["Enter"])
    assert desk.toy.decided == ["touch a: No", "touch b: Yes"]


def test_a_shell_in_front_of_an_adopted_cli_leaves_its_prompt_alone(open_desk):
    clock = ManualTime()
    desk = open_desk(Toy("touch a"), adopt=True, scheduler=clock.scheduler)
    prompt = desk.prompt()
    text = desk.toy.text
    desk.pane.there = False
    desk.toy.text = lambda: "[1]+  Stopped   toy\n$"
    desk.show()
    clock.advance(60)
    assert list(desk.transport().pending()) == [prompt]
    desk.toy.text = text
    desk.pane.there = True
    desk.show()
    clock.advance(60)
    assert list(desk.transport().pending()) == [prompt]


def test_a_dialog_is_put_away_once_also_over_a_restart(open_desk):
    desk = open_desk(Toy("nudge"))
    until(lambda: desk.toy.decided == ["nudge: No"])
    desk.live.close()
    desk.toy.asks.append("nudge")
    new = open_desk(terminal=desk.terminal, journal=desk.journal)
    new.session_id = desk.session_id
    assert new.prompt().form.dialog == "nudge"
    assert new.toy.decided == ["nudge: No"]


def test_a_dialog_that_cannot_be_put_away_is_asked(open_desk):
    toy = Toy()
    desk = open_desk(toy)
    until(lambda: desk.session().state is SessionState.IDLE)
    desk.live.adapter.respond = lambda *_: None
    toy.asks.append("nudge")
    desk.show()
    assert desk.prompt().form.dialog == "nudge"


def test_a_dialog_is_asked_when_somebody_else_types_for_long(open_desk):
    toy = Toy()
    desk = open_desk(toy, timings=Timings(typing_turn=0.1))
    until(lambda: desk.session().state is SessionState.IDLE)
    with desk.live.typing_lock:
        toy.asks.append("nudge")
        desk.show()
        assert desk.prompt().form.dialog == "nudge"


def test_the_session_of_a_cli_that_fails_to_start_says_why(open_desk, tmp_path):
    desk = open_desk(Toy())
    desk.pane._tasks.put(
        lambda: desk.live.gone(
            PaneEnd(status=1), Screen.from_text("usage: toy\ntoy: no key was found\n\n")
        )
    )
    session = until(lambda: (s := desk.session()).state is SessionState.ENDED and s)
    assert session.detail == "ended with status 1: usage: toy\ntoy: no key was found"
    sessions = desk.transport().sessions()
    assert len(sessions) == 1
    desk.terminal.program = Toy()
    other = desk.transport().start(LaunchRequest("toy", str(tmp_path), message="hello"))
    assert other.id


def test_an_answer_that_was_under_way_when_the_pane_vanished_is_failed(open_desk):
    from clawtap_core import Response

    desk = open_desk(Toy("touch a"))
    prompt = desk.prompt()

    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    desk.pane.before_key = killed
    desk.agent.store.end_prompt = killed
    with pytest.raises(Killed):
        desk.transport().respond(desk.session_id, Response(prompt.request_id, "yes"))
    desk.live.close()
    desk.terminal.programs.clear()
    new = open_desk(terminal=desk.terminal, journal=desk.journal)
    assert new.transport().prompt(prompt.request_id).state is PromptState.FAILED


def test_ten_watching_clients_cost_no_capture_more_than_one(open_desk, monkeypatch):
    """A watching client gets each frame as it was captured for the session itself."""
    clock = ManualTime()
    desk = open_desk(Toy(), scheduler=clock.scheduler)
    captures, capture = [], desk.pane.look

    def look():
        captures.append(1)
        return capture()

    monkeypatch.setattr(desk.pane, "look", look)
    subscription = Subscription(
        desk.transport(), lambda: True, session_id=desk.session_id, screens=True
    )

    def captures_for(clients):
        with ExitStack() as streams:
            watching = [stream(Flask("test"), subscription) for _ in range(clients)]
            for client in watching:
                streams.enter_context(closing(client))
                next(chunk for chunk in client if b"event: snapshot" in chunk)
            before = len(captures)
            for count in range(5):
                desk.toy.draft = f"{clients} clients, frame {count}"
                desk.show()
                for client in watching:
                    # The screen that stood before the first client came may come, too.
                    frames = (chunk for chunk in client if b"event: screen" in chunk)
                    assert any(desk.toy.draft.encode() in frame for frame in frames)
            return len(captures) - before

    assert captures_for(10) == captures_for(1)


def test_a_cli_that_crashed_says_its_error_and_not_the_trace_below(open_desk):
    # Gemini CLI 0.44.0, whose shell had ended before it was resized, in 80 columns.
    crashed = """\
 > list the files

An unexpected critical error occurred:Error: ioctl(2) failed, EBADF
    at UnixTerminal.resize (/opt/gemini/node_modules/@lydell/node-pty/unixTermin
al.js:243:13)
    at file:///opt/gemini/node_modules/@google/gemini-cli/bundle/interactiveCli-
RDMZS6KL.js:6529:31
Pane is dead (status 1, Tue Nov 24 15:45:02 2026)
"""
    desk = open_desk(Toy())
    desk.live.gone(PaneEnd(status=1), Screen.from_text(crashed))
    session = until(lambda: (s := desk.session()).state is SessionState.ENDED and s)
    assert session.detail == (
        "ended with status 1: > list the files\n"
        "An unexpected critical error occurred:Error: ioctl(2) failed, EBADF"
    )
