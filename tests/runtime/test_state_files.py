"""The state file of a CLI says what the screen does not."""

from __future__ import annotations

import os

import pytest
from fake_terminal import Toy, until
from toy_conversations import said, show
from toy_transcripts import note

from clawtap_core import SessionState
from clawtap_core.runtime.panes import state_file


@pytest.mark.parametrize(("written", "state"), [("busy", "busy"), ("waiting", "waiting")])
def test_a_screen_nobody_knows_is_no_prompt_while_the_cli_says_that_it_is_busy(
    office, written, state
):
    desk = office.open()
    toy = Toy()
    one = office.start(desk, toy)
    (office.home.parent / "7.state").write_text(f"north {written}")
    toy.odd = "A new way to say that it works"
    show(desk, one)
    until(lambda: desk.transport().session(one).state is SessionState(state))
    assert len(desk.transport().pending()) == (state == "waiting")


def test_the_state_file_of_a_cli_that_another_program_runs_is_read(office, monkeypatch):
    monkeypatch.setattr(state_file, "run_by", lambda group: [group + 1, group + 2])
    desk = office.open()
    toy = Toy()
    one = office.start(desk, toy)
    (office.home.parent / "9.state").write_text("north busy")
    toy.odd = "A new way to say that it works"
    show(desk, one)
    until(lambda: desk.transport().session(one).state is SessionState.BUSY)


@pytest.mark.parametrize("data", [b"", b"no such thing", b"\xff" * 99, b"north bogus"])
def test_a_state_file_that_says_nothing_changes_nothing(office, data):
    desk = office.open()
    one = office.start(desk)
    (office.home.parent / "7.state").write_bytes(data)
    office.write("north", note("n1", "go north"))
    show(desk, one, "go north")
    assert until(lambda: said(desk, one)) == ["n1"]


def test_a_pipe_in_place_of_the_state_file_holds_nobody_up(office):
    os.mkfifo(office.home.parent / "7.state")
    desk = office.open()
    session = office.start(desk)
    office.write("talk", note("a", "hello"))
    show(desk, session, "hello")
    assert until(lambda: said(desk, session)) == ["a"]
