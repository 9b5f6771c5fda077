"""A shell in which one CLI ends and another one starts: each has its own session."""

from __future__ import annotations

import shlex

from every_cli import on_every_version
from shell_at_the_desk import open_shell, quit_by_keys, run_in_shell, start_command

pytestmark = on_every_version


def test_nothing_is_typed_for_the_first_and_the_second_is_known_for_what_it_is(
    testbed, own, second, tmp_path
):
    known = own()  # the CLI trusts its folder now
    known.idle(90)
    known.leave()
    seat = open_shell(testbed, known.cwd)
    run_in_shell(seat, start_command(testbed))
    first = testbed.adopt(seat.pane, known.cwd)
    first.idle(90)
    first.play({"parts": [{"text": "not to be waited for"}], "hold": True})
    first.say("think for long")
    first.state("busy")
    assert first.post("message", message="for the first alone").status == 202
    quit_by_keys(first)
    first.model.release()

    cwd, script = second.project(), tmp_path / "start"
    variables = (f"{name}={value}" for name, value in second.env.items())
    script.write_text(f"exec {shlex.join(('env', '-i', *variables))} {start_command(second)}")
    run_in_shell(seat, f"cd {cwd}; sh {script}")
    seat.until(str.strip)  # `env` has started it
    talk = second.adopt(seat.pane, cwd)
    assert talk.get().body["adapter"] == second.cli.name
    talk.idle(90)
    prompt = talk.do(second.cli.turns.shell("touch second.txt && ls"))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (cwd / "second.txt").exists()
    assert first.get().body["state"] == "ended"
    assert "for the first alone" not in seat.text()
    assert talk.log.times_said("for the first alone") == 0
    talk.leave()
    seat.close()
