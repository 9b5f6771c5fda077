"""Which program of a pane reads its keys, as wrappers start and lose it."""

from __future__ import annotations

import pytest

from clawtap_core.system.processes import Process
from clawtap_core.terminal import key_reader
from clawtap_core.terminal.key_reader import KeyReader

LEADER, TTY = 10, "/dev/pts/7"


class Pane:
    """The processes of a pane, which a test changes."""

    def __init__(self):
        self.now, self.front, self.names, self.ending = 100.0, [LEADER], {}, set()
        self.forked, self.young = set(), set()
        self.reader = KeyReader(LEADER, TTY)

    def shows(self, *front):
        """Have a new screen from the last of these processes."""
        self.front = [LEADER, *front]
        self.now += 2
        self.reader.look()


@pytest.fixture
def pane(monkeypatch):
    pane = Pane()
    monkeypatch.setattr(key_reader, "run_by", lambda leader: pane.front[1:])
    monkeypatch.setattr(key_reader, "is_ending", lambda pid: pid in pane.ending)
    monkeypatch.setattr(key_reader, "lives", lambda pid: pid in pane.front)
    monkeypatch.setattr(key_reader, "age", lambda pid: 0.1 if pid in pane.young else 5.0)
    monkeypatch.setattr(
        key_reader,
        "process",
        lambda pid: Process(pid, pane.names.get(pid, "node"), "S", 1, LEADER, "1"),
    )
    monkeypatch.setattr(key_reader, "has_input", lambda pid, tty: pid != 99)
    monkeypatch.setattr(key_reader, "has_executed", lambda pid: pid not in pane.forked)
    monkeypatch.setattr(key_reader.time, "monotonic", lambda: pane.now)
    return pane


def test_a_cli_of_its_own_is_there_until_it_ends(pane):
    pane.shows()
    assert not pane.reader.is_gone()
    pane.ending = {LEADER}
    assert pane.reader.is_gone()


def test_a_wrapper_starts_its_cli_step_by_step(pane):
    for front in ((), (11,), (11, 12)):
        pane.shows(*front)
        assert not pane.reader.is_gone()
    pane.ending = {12}
    assert pane.reader.is_gone()


@pytest.mark.parametrize("left", [(), (11,)])
def test_a_wrapper_whose_cli_is_gone_reads_nothing(pane, left):
    pane.shows(11, 12)
    pane.front = [LEADER, *left]
    assert pane.reader.is_gone()
    assert pane.reader.is_gone()


def test_what_a_script_runs_after_its_cli_reads_nothing_of_it(pane):
    pane.shows(11)
    pane.front, pane.names = [LEADER, 13], {13: "sleep"}
    assert pane.reader.is_gone()


def test_a_wrapper_that_lives_on_reads_the_keys_itself(pane):
    pane.shows(11)
    pane.shows()
    assert pane.reader.is_gone()
    pane.now += 2
    assert not pane.reader.is_gone()


def test_a_cli_that_starts_itself_anew_at_its_beginning_reads_the_keys_at_once(pane):
    pane.young = {11, 14}
    pane.shows(11)
    pane.front = [LEADER, 14]
    assert not pane.reader.is_gone()


def test_a_cli_that_a_script_starts_again_reads_no_key_for_what_the_one_before_drew(pane):
    pane.shows(11)
    pane.front = [LEADER, 14]
    assert pane.reader.is_gone()
    assert pane.reader.ended == 1
    pane.now += 2
    assert not pane.reader.is_gone()
    assert pane.reader.ended == 1


def test_what_a_cli_runs_on_its_terminal_for_a_moment_is_no_cli_that_ended(pane):
    pane.young = {11, 12}
    pane.shows(11)
    pane.young = {12}
    pane.shows(11, 12)
    pane.shows(11)
    assert pane.reader.ended == 0
    pane.now += 2
    assert not pane.reader.is_gone()


def test_a_cli_that_has_lasted_reads_the_keys_when_what_it_ran_for_a_moment_has_ended(pane):
    pane.shows(11)
    pane.young = {12}
    pane.shows(11, 12)
    pane.front = [LEADER, 11]
    assert not pane.reader.is_gone()
    pane.front = [LEADER]
    assert pane.reader.is_gone()


def test_what_a_cli_runs_with_pipes_is_not_the_cli(pane):
    pane.shows(11, 99)
    pane.front = [LEADER, 11]
    assert not pane.reader.is_gone()
    pane.front = [LEADER]
    assert pane.reader.is_gone()


def test_what_a_cli_has_just_forked_is_not_the_cli(pane):
    pane.shows(11)
    pane.forked = {12}
    pane.shows(11, 12)
    pane.front = [LEADER, 11]
    assert not pane.reader.is_gone()


def test_a_script_that_becomes_the_cli_reads_the_keys_at_once(pane):
    pane.names = {LEADER: "sh", 11: "sleep"}
    pane.shows(11)
    pane.front, pane.names = [LEADER], {LEADER: "cat"}
    assert not pane.reader.is_gone()
