"""Live checks: one at a time, in a process of its own, and what each found is remembered."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from patience import until

from clawtap_core.errors import BadRequest, Conflict, Impossible
from clawtap_core.hookspecs import hookimpl
from clawtap_core.host import Host
from clawtap_core.model import AdapterInfo, CheckState
from clawtap_core.runtime import live_checks
from clawtap_core.runtime.cli_versions import CliVersions
from clawtap_core.runtime.live_checks import LiveChecks
from clawtap_core.system.processes import lives

STEPS = [
    {"step": "permission allowed", "status": "ok", "detail": "read", "seconds": 0.5},
    {"step": "question", "status": "failed", "detail": "not read", "recording": "/x/q.ansi"},
]
FOUND = {"ok": False, "state": "failed", "version": "9.9.9", "steps": STEPS}
REPORT = {"ok": False, "clis": [FOUND]}
PRINTS_REPORT = f"print({json.dumps(json.dumps(REPORT))})"
WAITS = "import time; time.sleep(60)"


class Checkable:
    """An adapter whose CLI is this Python."""

    @hookimpl
    def adapter_info(self):
        return AdapterInfo("snake", "Snake", commands=(sys.executable,))

    @hookimpl
    def live_check(self):
        return None


class Unchecked:
    @hookimpl
    def adapter_info(self):
        return AdapterInfo("plain", "Plain", commands=(sys.executable,))


class Absent(Checkable):
    @hookimpl
    def adapter_info(self):
        return AdapterInfo("absent", "Absent", commands=("no-such-program",))


@pytest.fixture
def open_checks(monkeypatch, tmp_path):
    """Return checks whose command is this Python code."""
    host = Host()
    for name, plugin in (("snake", Checkable()), ("plain", Unchecked()), ("absent", Absent())):
        host.add(plugin, name)
    env = {"PATH": os.environ["PATH"]}
    opened = []

    def open_with(code):
        monkeypatch.setattr(live_checks, "own_program", lambda module: (sys.executable, "-c", code))
        opened.append(LiveChecks(host, CliVersions(env), env, tmp_path / "checks"))
        return opened[-1]

    yield open_with
    for checks in opened:
        checks.close()


def ended(checks):
    """The latest check of the snake, once it is over."""
    until(lambda: checks.latest("snake").state is not CheckState.RUNNING)
    return checks.latest("snake")


def test_what_was_found_is_remembered_by_the_next_server(open_checks):
    checks = open_checks(PRINTS_REPORT)
    assert checks.latest("snake") is None
    assert checks.start("snake").state is CheckState.RUNNING
    found = ended(checks)
    assert (found.state, found.version) == (CheckState.FAILED, "9.9.9")
    assert [step.step for step in found.steps] == ["permission allowed", "question"]
    assert found.steps[1].recording == "/x/q.ansi"
    until(lambda: open_checks(WAITS).latest("snake") == found)


def test_a_check_that_ran_out_of_time_gets_twice_as_much_the_next_time(open_checks):
    late = [{**STEPS[0], "status": "unfinished"}]
    report = {"ok": False, "state": "unfinished", "version": "9.9.9", "steps": late}
    # It tells in its version which time it was given.
    code = (
        f"import json, sys; report = json.loads({json.dumps(json.dumps(report))});"
        "report['version'] = sys.argv[sys.argv.index('--timeout') + 1];"
        "print(json.dumps({'ok': False, 'clis': [report]}))"
    )
    checks = open_checks(code)
    for seconds in (90, 180, 360, 600, 600):
        until(lambda: started(checks))
        found = ended(checks)
        assert (found.state, found.version, found.seconds) == (
            CheckState.UNFINISHED,
            str(seconds),
            seconds,
        )
    until(lambda: open_checks(WAITS).latest("snake") == found)
    checks = open_checks(PRINTS_REPORT)
    checks.start("snake")
    assert ended(checks).state is CheckState.FAILED
    until(lambda: started(checks))
    assert ended(checks).seconds == 90


def started(checks):
    """Start a check; False while the last one is not quite over."""
    try:
        return checks.start("snake")
    except Conflict:
        return False


def test_one_check_runs_at_a_time(open_checks):
    checks = open_checks(WAITS)
    checks.start("snake")
    with pytest.raises(Conflict) as caught:
        checks.start("snake")
    assert caught.value.code == "check_running"


def test_after_a_check_comes_another(open_checks):
    checks = open_checks(PRINTS_REPORT)
    first = checks.start("snake")
    ended(checks)
    until(lambda: checks.start("snake").began_at > first.began_at)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import sys; sys.exit('error: tmux was not found')", "tmux was not found"),
        ("print('[]')", "the check ended without a result"),
        ('print(\'{"clis": [{"ok": true}]}\')', "the check ended without a result"),
    ],
)
def test_a_check_without_a_result_says_why(open_checks, code, error):
    checks = open_checks(code)
    checks.start("snake")
    broken = ended(checks)
    assert (broken.state, broken.error) == (CheckState.BROKEN, error)


def test_a_check_that_never_ends_is_ended(open_checks, monkeypatch):
    monkeypatch.setattr(live_checks, "SECONDS", 0.1)
    monkeypatch.setattr(live_checks, "_AROUND", 0.1)
    checks = open_checks(WAITS)
    checks.start("snake")
    assert ended(checks).error == "the check took over 0 seconds"


def test_a_check_ends_with_the_server(open_checks):
    checks = open_checks(WAITS)
    checks.start("snake")
    pid = checks._process.pid
    checks.close()
    assert not lives(pid)
    with pytest.raises(Conflict):
        checks.start("snake")


@pytest.mark.parametrize(
    ("adapter", "error", "code"),
    [
        ("plain", Impossible, "cannot_act"),
        ("absent", Impossible, "cli_not_installed"),
        ("nosuch", BadRequest, "unknown_adapter"),
    ],
)
def test_what_cannot_be_checked_is_refused(open_checks, adapter, error, code):
    checks = open_checks(WAITS)
    with pytest.raises(error) as caught:
        checks.start(adapter)
    assert caught.value.code == code
    assert checks.latest("plain") is None


def test_unsound_results_are_forgotten(open_checks, tmp_path):
    file = tmp_path / "checks" / "results.json"
    file.parent.mkdir()
    file.write_text('[{"adapter": 3}]')
    assert open_checks(WAITS).latest("snake") is None


@pytest.mark.tmux
def test_the_demo_agent_passes_it(tmp_path):
    env = dict(os.environ)
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    checks = LiveChecks(Host.installed(only=("demo",)), CliVersions(env), env, tmp_path)
    checks.start("demo")
    until(lambda: checks.latest("demo").state is not CheckState.RUNNING, 60)
    passed = checks.latest("demo")
    checks.close()
    assert passed.state is CheckState.PASSED, passed
    assert passed.version
