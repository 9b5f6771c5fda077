"""The live check, on the demo agent: right on one that works, and on one broken on purpose."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import acp_cli
import pytest
from clawtap_demo import adapter as demo
from clilab import altering_terminal
from patience import until

from clawtap_core.host import Host
from clawtap_core.model import SessionState
from clawtap_core.testing.live import checker
from clawtap_core.testing.live.checker import check_live
from clawtap_core.testing.live.program import find_program
from clawtap_core.testing.recordings import Recording

pytestmark = [pytest.mark.tmux, pytest.mark.slow]
CLAWTAP = str(Path(sys.executable).with_name("clawtap"))


@pytest.fixture
def agent() -> Path:
    return Path(sys.executable).with_name("clawtap-demo-agent")


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Run the live check of the demo agent; `own` holds every file that the check makes."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(own))
    host = Host()
    host.add(demo, "demo")

    def run(program, seconds=120.0, **more):
        report = check_live(
            host,
            host.adapter("demo"),
            program,
            recordings=tmp_path / "screens",
            seconds=seconds,
            **more,
        )
        assert list(own.iterdir()) == []
        return report

    return run


def test_the_version_is_asked_in_a_home_of_its_own_and_read_without_a_full_stop(
    check, agent, tmp_path
):
    program = tmp_path / "agent"
    program.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = --version ]; then\n'
        '  echo here >"$HOME/left-behind" && echo "The agent 7.1.2. Run update."; exit\n'
        "fi\n"
        f'exec {agent} "$@"\n'
    )
    program.chmod(0o755)
    report = check(program, seconds=0.01)
    assert report.version == "7.1.2"


def test_every_step_succeeds_on_the_real_agent(check, agent, tmp_path):
    reported = []
    report = check(agent, report=reported.append)
    assert [result.status for result in report.steps] == ["ok"] * 6 + ["skipped"], report
    assert report.steps[-1].detail == "Demo agent takes answers by keys only"
    assert (report.ok, report.version, report.steps) == (True, "0.1.0", tuple(reported))
    assert not (tmp_path / "screens").exists()


@pytest.mark.parametrize(
    ("changes", "failed"),
    [
        pytest.param(
            {"screen": {"─ Command ": "─ Errands "}},
            {"permission allowed", "permission denied"},
            id="a word",
        ),
        pytest.param({"screen": {"╭─ Question": "+- Question"}}, {"question"}, id="a box"),
        pytest.param(
            {"keys": {"\x1b[B": "", "\x1bOB": ""}}, {"permission denied", "question"}, id="a key"
        ),
    ],
)
def test_what_was_broken_on_purpose_is_named_and_its_screen_saved(
    check, agent, tmp_path, changes, failed
):
    broken = altering_terminal.install(tmp_path / "broken-agent", agent, **changes)
    report = check(broken, patience=5.0)
    assert {result.step for result in report.failed} == failed, report
    assert not report.ok
    for result in report.failed:
        recording = Recording.load(Path(result.recording))
        assert recording.screen.cols == 120
        facts = json.loads(Path(result.recording).with_suffix(".json").read_text())
        assert facts["live_step"] == result.step
        assert facts["failure"] == result.detail


def test_a_program_that_is_no_such_cli_fails_at_once_and_the_rest_is_skipped(check):
    report = check(Path("/bin/false"))
    assert [result.status for result in report.steps] == ["failed"] + ["skipped"] * 6
    assert "did not start" in report.steps[0].detail


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        (
            "plainly",
            "ok",
            "over its protocol: a command allowed, one denied with the reason, interrupted",
        ),
        ("account", "skipped", "over its protocol it wants an account: Authentication required"),
        ("other", "failed", "over its protocol, permission allowed: 'touch clawtap-allowed' is"),
        (
            "busy",
            "failed",
            "over its protocol, interrupt: the CLI did not say whether it took this",
        ),
    ],
)
def test_answers_without_keys_are_tried_in_a_session_of_their_own(tmp_path, how, status, words):
    host = Host()
    host.add(acp_cli.AcpAdapter(), "acp")
    # Its name is another one than the adapter's, as that of an older version may be.
    program = acp_cli.install(tmp_path / "other-name", how)
    report = check_live(
        host, host.adapter("acp"), program, recordings=tmp_path, seconds=60, patience=2
    )
    assert [step.status for step in report.steps] == ["skipped"] * 6 + [status], report
    assert report.steps[-1].detail.startswith(words)


def test_the_program_of_the_protocol_may_be_another_one_next_to_the_checked_one(tmp_path):
    host = Host()
    host.add(acp_cli.AcpAdapter(speaks="acp-cli-server"), "acp")
    program = acp_cli.install(tmp_path / "acp-cli", "account")
    acp_cli.install(tmp_path / "acp-cli-server", "plainly")
    report = check_live(
        host, host.adapter("acp"), program, recordings=tmp_path, seconds=60, patience=2
    )
    assert report.steps[-1].status == "ok", report


def test_a_cli_that_was_only_slow_is_unfinished_and_was_busy(check, agent, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\nexec {agent} "$@" --delay 60000\n')
    slow.chmod(0o755)
    report = check(slow, seconds=30.0, patience=6.0)
    assert (report.failed, report.ok) == ((), False)
    first = report.unfinished[0]
    assert first.detail == "the CLI did not come to rest after the answer: it was still busy"
    assert report.steps[5].detail == "no time was left"


def test_a_cli_that_starts_slowly_is_unfinished_and_was_starting(check, agent, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\n[ "$1" = --version ] || sleep 60\nexec {agent} "$@"\n')
    slow.chmod(0o755)
    report = check(slow, seconds=30.0, patience=1.0)
    assert (report.failed, report.ok) == ((), False)
    assert report.unfinished[0].detail == (
        "the CLI did not start: it was not ready for a message: it was still starting"
    )


def test_a_prompt_may_follow_late_upon_work_that_took_long(monkeypatch):
    """A CLI on a busy machine worked for longer than the patience, then painted its prompt."""
    clock = [0.0]

    def sleep(seconds):
        clock[0] += seconds

    monkeypatch.setattr(checker, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))

    def session(session_id):
        state = SessionState.BUSY if clock[0] < 15 else SessionState.WAITING
        return SimpleNamespace(state=state)

    transport = SimpleNamespace(session=session)
    place = SimpleNamespace(runtime=SimpleNamespace(transport=lambda: transport))
    slow = checker._Checker(None, None, place, "1", Path(), 1000.0, 10.0)
    assert slow._until(lambda: clock[0] >= 20, "it asked nothing")
    with pytest.raises(checker.StepFailed, match="it asked nothing"):
        slow._until(lambda: None, "it asked nothing")
    assert clock[0] == pytest.approx(30, abs=1)


def test_what_ran_out_of_time_says_so(check, agent, tmp_path):
    mute = altering_terminal.install(tmp_path / "mute", agent, keys={"\r": ""})
    report = check(mute, seconds=6.0, patience=60.0)
    assert (report.failed, report.ok) == ((), False)
    assert report.unfinished[0].detail.endswith(": no time was left")
    assert [step.status for step in report.steps] == ["unfinished"] * 6 + ["skipped"]
    assert report.steps[1].detail == "no time was left"


def test_a_cli_that_works_on_after_an_interrupt_failed(check, agent, tmp_path):
    """Only the interrupt can end the turn: more time would not have ended it."""
    deaf = altering_terminal.install(tmp_path / "deaf", agent, keys={"\x1b": "", "\x03": ""})
    report = check(deaf, patience=4.0)
    assert "interrupt" in {result.step for result in report.failed}, report


def test_time_is_bounded(check, agent, tmp_path):
    mute = altering_terminal.install(tmp_path / "mute", agent, keys={"\r": ""})
    report = check(mute, seconds=5.0)
    assert report.failed or report.unfinished  # a machine may be too busy to begin in five seconds
    assert report.seconds < 30


def test_the_cli_gets_nothing_of_the_user(check, agent, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-of-the-user")
    seen = tmp_path / "seen"
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\nenv > {seen}\nexec {agent} "$@"\n')
    spy.chmod(0o755)
    assert check(spy).ok
    environment = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    assert "secret-of-the-user" not in seen.read_text()
    assert environment["HOME"].startswith(str(tmp_path / "own"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "SIGTERM"])
def test_a_check_that_is_ended_leaves_nothing_behind(tmp_path, number):
    own = tmp_path / "own"
    own.mkdir()
    running = subprocess.Popen(
        (CLAWTAP, "doctor", "--live", "demo", "--screens", str(tmp_path)),
        env={**os.environ, "TMPDIR": str(own), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell's job in the background ignores Ctrl+C, and so would what we start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout
    running.stdout.readline()
    assert "permission allowed" in running.stdout.readline()
    (tmux,) = own.glob("clawtap-live-*/tmux")
    panes = ("tmux", "-S", str(tmux), "list-panes", "-a", "-F", "#{pane_pid}")
    pids = subprocess.run(panes, capture_output=True, text=True, check=True).stdout.split()
    assert pids
    running.send_signal(number)
    output = running.communicate(timeout=60)[0]
    assert running.returncode
    assert "Traceback" not in output
    assert list(own.iterdir()) == []
    until(lambda: not any(_runs(int(pid)) for pid in pids))


def _runs(pid: int) -> bool:
    from clawtap_core.system.processes import process

    found = process(pid)
    return found is not None and found.state != "Z"


def test_no_server_loads_it():
    code = (
        "import sys; from clawtap_core.host import Host; Host.installed();"
        "import clawtap_core.cli.serve;"
        "print([name for name in sys.modules if '.live.' in name and not name.endswith('.hook')])"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_the_program_of_the_adapter_is_found_on_the_path(tmp_path, monkeypatch, agent):
    from clawtap_core.errors import Impossible

    info = demo.adapter_info()
    assert find_program(info) == agent
    assert find_program(info, str(agent)) == agent
    with pytest.raises(Impossible, match="is not a program"):
        find_program(info, "/no/such/program")
