"""A CLI in a tmux of its own, in the pane that is watched."""

from __future__ import annotations

from contextlib import closing

from clilab.desk import Desk


def test_a_cli_in_another_tmux_is_idle_asks_and_is_answered(testbed):
    cwd = testbed.project()
    # The CLI knows this folder once a session has begun in it.
    first = testbed.start(cwd)
    first.idle(90)
    first.leave()
    flags = " ".join(getattr(testbed, "flags", ()))
    inner = Desk()
    argv = ("tmux", "-L", inner.socket, "-f", "/dev/null", "new-session")
    with closing(inner):
        seat = testbed.desk.open((*argv, f"{testbed.cli.name} {flags}"), cwd, testbed.env)
        seat.see("0:", seconds=60)
        body = {"adopt": seat.pane, "adapter": testbed.cli.name}
        talk = testbed.talk(testbed.client.post("/api/sessions", body), cwd)
        talk.idle(90)
        prompt = talk.do(testbed.cli.turns.shell("touch nested.txt && ls"))
        assert talk.approve(prompt).status == 200
        talk.finish()
        assert (cwd / "nested.txt").exists()
        talk.leave()
        seat.close()
