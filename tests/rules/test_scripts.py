"""Scripts that wait for the demo agent, on the real command line's functions."""

from __future__ import annotations

import json

from click.testing import CliRunner

from clawtap_core.cli.app import cli


def clawtap(demo, *arguments):
    env = {"CLAWTAP_URL": "http://fake", "CLAWTAP_TOKEN": "x", "HOME": str(demo.folder)}
    return CliRunner().invoke(cli, [*arguments], env=env, obj=lambda *_: demo.transport())


def test_an_agent_runs_as_a_command_and_leaves_nothing_behind(demo):
    flags = ("--cwd", str(demo.folder), "--on-prompt", "deny", "--timeout", "25", "--json")
    turn = demo.script([{"run": "rm -r build"}, {"say": "I left it alone."}])
    done = clawtap(demo, "run", "demo", "hello", *flags, "--", "--delay", "0", *turn)
    assert done.exit_code == 0, done.output
    wire = json.loads(done.stdout)
    assert wire["text"] == "I left it alone."
    assert demo.transport().session(wire["sessionId"]).state.over


def test_a_wait_ends_when_a_prompt_is_open(demo):
    talk = demo.show("permission")
    done = clawtap(demo, "wait", talk.id, "--until", "waiting", "--timeout", "15")
    assert (done.exit_code, done.stdout) == (0, "waiting\n")
