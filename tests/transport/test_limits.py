"""`clawtap limit`: a usage limit is shown, waited for, and dismissed from a shell."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from click.testing import CliRunner
from fake_terminal import Toy, until

from clawtap_core.cli.app import cli
from clawtap_core.model import LaunchRequest, UsageLimit


@pytest.fixture
def session(tap, desk, tmp_path):
    """A session that has reached its limit, for an hour."""
    desk.terminal.program = Toy()
    name = tap.start(LaunchRequest("toy", str(tmp_path))).id
    until(lambda: tap.session(name).state.value == "idle")
    limit = UsageLimit("limit", desk.agent.store.now() + timedelta(hours=1))
    desk.agent.store.change_session(name, limit=limit)
    return name


@pytest.fixture
def shell(tap, isolated_home, monkeypatch):
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")

    def run(*arguments):
        env = {"CLAWTAP_URL": "http://fake"}
        done = CliRunner().invoke(cli, ("limit", *arguments), env=env, obj=lambda *_: tap)
        return done.exit_code, done.stdout.strip(), done.stderr

    return run


def test_a_limit_is_resumed_later_or_not_and_dismissed(shell, tap, session):
    assert shell(session)[1].startswith("limit reached, resets at ")
    assert shell(session, "--resume")[1].endswith("; then sends: continue")
    assert tap.session(session).limit.resume == "continue"
    shown = json.loads(shell(session[:6], "--resume", "--message", "go on", "--json")[1])
    assert shown["limit"]["resume"] == "go on"
    assert "then sends" not in shell(session, "--cancel")[1]
    assert tap.session(session).limit.resume is None
    assert shell(session, "--dismiss") == (0, "no usage limit", "")
    assert tap.session(session).state.value == "idle"


def test_what_makes_no_sense_is_said(shell, tap, session):
    for flags in (("--resume", "--cancel"), ("--message", "x")):
        assert shell(session, *flags)[0] == 2
    status, _, error = shell(session, "--resume", "--message", " ")
    assert status == 1
    assert error.startswith("error: message")
    tap.dismiss_limit(session)
    assert shell(session) == (0, "no usage limit", "")
    status, _, error = shell(session, "--resume")
    assert (status, error) == (1, "error: this session has no usage limit (not_now)\n")
    assert "(session_not_found)" in shell("nobody")[2]
