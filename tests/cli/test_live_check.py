"""The commands doctor --live and check-adapter --live: what they take, print and exit with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clawtap_core.model import StepResult
from clawtap_core.testing.live.report import LiveReport

STEPS = (
    StepResult("permission allowed", "ok", "read, allowed, and the command ran", 0.5),
    StepResult("question", "failed", "the prompt was not recognised", 6.0, "here/q.ansi"),
    StepResult("plan", "skipped", "Demo agent has none"),
)
LATE = StepResult("plan", "unfinished", "the CLI did not start: it was still starting", 11.0)


@pytest.fixture
def checked(monkeypatch, tmp_path):
    """What the check is called with; it finds the demo agent in a version, with these steps."""
    calls = []

    def check(steps=STEPS):
        def check_live(host, adapter, program, *, recordings, seconds, report):
            calls.append((adapter.id, program, recordings, seconds))
            for step in steps:
                report(step)
            return LiveReport(adapter.id, str(program), "9.9.9", (), tuple(steps), 7.5)

        monkeypatch.setattr("clawtap_core.testing.live.checker.check_live", check_live)
        return calls

    return check


def test_each_step_is_printed_with_what_to_do_with_a_failing_screen(run, checked):
    calls = checked()
    done = run("doctor", "--live", "demo", "--screens", "here", "--timeout", "20")
    assert done.exit_code == 1
    assert "ok       permission allowed  read, allowed, and the command ran (0.5 s)" in done.stdout
    assert "FAILED   question            the prompt was not recognised (6.0 s)" in done.stdout
    assert "-> its screen: here/q.ansi" in done.stdout
    assert "skipped  plan                Demo agent has none\n" in done.stdout
    assert "Demo agent 9.9.9 does not work: question (7.5 s)" in done.stdout
    assert calls[0][0] == "demo"
    assert calls[0][2:] == (Path("here"), 20.0)


def test_it_exits_with_zero_when_nothing_failed(run, checked):
    checked(STEPS[:1])
    done = run("doctor", "--live", "demo")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        0,
        "Demo agent 9.9.9 works with ClawTap (7.5 s)",
    )


def test_a_cli_that_only_fails_without_keys_still_works_with_them(run, checked):
    checked((STEPS[0], StepResult("without keys", "failed", "over its protocol: it ended")))
    done = run("doctor", "--live", "demo")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        1,
        "Demo agent 9.9.9 works with keys only (7.5 s)",
    )


@pytest.mark.parametrize(
    ("steps", "status", "last"),
    [
        (
            (STEPS[0], LATE),
            124,
            "Demo agent 9.9.9 was not finished in the time (20 s): plan;"
            " run again with --timeout 40",
        ),
        (
            (STEPS[0], LATE, StepResult("without keys", "failed", "it ended")),
            1,
            "not finished in the time (20 s): plan; run again with --timeout 40",
        ),
        (
            (*STEPS[:2], LATE),
            1,
            "not finished in the time (20 s): plan; run again with --timeout 40",
        ),
    ],
)
def test_a_check_that_ran_out_of_time_asks_for_more(run, checked, steps, status, last):
    checked(steps)
    done = run("doctor", "--live", "demo", "--timeout", "20")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (status, last)
    assert "no time  plan                the CLI did not start: it was still" in done.stdout
    assert ("does not work" in done.stdout) == (status == 1)
    assert "keys only" not in done.stdout


def test_no_more_time_is_asked_for_than_may_be_given(run, checked):
    checked((LATE,))
    last = run("doctor", "--live", "demo", "--timeout", "400").stdout.splitlines()[-1]
    assert last.endswith("; run again with --timeout 600")
    last = run("doctor", "--live", "demo", "--timeout", "600").stdout.splitlines()[-1]
    assert last.endswith("was not finished in the time (600 s): plan")


def test_scripts_are_told_that_time_ran_out(run, checked):
    checked((STEPS[0], LATE))
    done = run("doctor", "--live", "demo", "--timeout", "20", "--json")
    wire = json.loads(done.stdout)
    assert (done.exit_code, wire["ok"]) == (124, False)
    cli = wire["clis"][0]
    assert (cli["ok"], cli["state"], cli["timeout"]) == (False, "unfinished", 20.0)
    assert [step["status"] for step in cli["steps"]] == ["ok", "unfinished"]


def test_one_cli_that_failed_outweighs_one_that_ran_out_of_time(run, checked, monkeypatch):
    checked((STEPS[0], LATE))
    monkeypatch.setattr("clawtap_core.cli.doctor.installed_clis", lambda: ["demo", "demo"])
    assert run("doctor", "--live").exit_code == 124
    checked(STEPS)
    assert run("doctor", "--live").exit_code == 1


def test_scripts_get_it_as_json(run, checked):
    checked()
    done = run("doctor", "--live", "demo", "--json")
    wire = json.loads(done.stdout)
    assert (done.exit_code, wire["ok"], wire["clis"][0]["version"]) == (1, False, "9.9.9")
    assert wire["clis"][0]["steps"][1] == {
        "step": "question",
        "status": "failed",
        "detail": "the prompt was not recognised",
        "seconds": 6.0,
        "recording": "here/q.ansi",
    }


def test_without_a_name_every_installed_cli_is_checked_but_the_demo(run, checked, monkeypatch):
    calls = checked(STEPS[:1])
    monkeypatch.setattr("clawtap_core.cli.doctor.installed_clis", lambda: ["demo", "demo"])
    assert run("doctor", "--live").exit_code == 0
    assert [call[0] for call in calls] == ["demo", "demo"]


def test_the_demo_agent_alone_is_no_cli_to_check(monkeypatch, run):
    monkeypatch.setenv("PATH", "/nonexistent")
    done = run("doctor", "--live")
    assert done.exit_code == 1
    assert "clawtap doctor --live demo" in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("doctor", "demo"), "needs --live"),
        (("doctor", "--program", "/bin/cat"), "needs --live"),
        (("doctor", "--live", "--program", "/bin/cat"), "needs CLI"),
        (("check-adapter", "demo", "--program", "/bin/cat"), "goes with --live"),
        (("doctor", "--live", "demo", "--program", "/no/such"), "is not a program"),
        (("doctor", "--live", "nobody"), "no such adapter"),
        (("doctor", "--live", "generic"), "live check"),
        (("doctor", "--live", "demo", "--timeout", "0"), "--timeout"),
    ],
)
def test_wrong_input_is_a_sentence(run, arguments, words):
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert words in done.output
    assert "Traceback" not in done.output


def test_the_contract_and_the_live_check_are_reported_together(run, checked, monkeypatch):
    checked()
    monkeypatch.setattr("clawtap_core.cli.check_adapter.run_contract", lambda plugin, folder: [])
    done = run("check-adapter", "demo", "--live", "--json")
    wire = json.loads(done.stdout)
    assert (done.exit_code, wire["ok"], wire["live"]["ok"]) == (1, False, False)
    checked((STEPS[0], LATE))
    done = run("check-adapter", "demo", "--live", "--json")
    wire = json.loads(done.stdout)
    assert (done.exit_code, wire["ok"], wire["live"]["state"]) == (124, False, "unfinished")


@pytest.mark.parametrize("seconds", ["nan", "inf", "4"])
def test_a_time_that_never_ends_is_refused(run, checked, seconds):
    calls = checked()
    done = run("doctor", "--live", "demo", "--timeout", seconds)
    assert (done.exit_code, "Invalid value for '--timeout'" in done.stderr, calls) == (2, True, [])
