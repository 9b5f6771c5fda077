"""A CLI that `npx` runs: it is known for what it is, and answered, as by itself."""

from __future__ import annotations

from clilab.install import PACKAGES, install
from every_cli import on_every_version
from patience import until
from shell_at_the_desk import open_shell, run_in_shell

pytestmark = on_every_version


def test_a_cli_under_npx_is_recognised(testbed, own):
    known = own()  # the CLI trusts its folder now
    known.idle(90)
    known.leave()
    name = testbed.cli.name
    prefix = install(name, testbed.version).parents[1]
    flags = " ".join(("--", *testbed.flags)) if hasattr(testbed, "flags") else ""
    seat = open_shell(testbed, known.cwd)
    run_in_shell(seat, f"npx --offline --prefix {prefix} {PACKAGES[name].command} {flags}")

    def adapter():
        panes = testbed.client.get("/api/panes").body
        return next(pane.get("adapter") for pane in panes if pane["pane"] == seat.pane)

    until(lambda: adapter() == name)
    talk = testbed.adopt(seat.pane, known.cwd)
    talk.idle(90)
    prompt = talk.do(testbed.cli.turns.shell("touch wrapped.txt && ls"))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "wrapped.txt").exists()
    talk.leave()
    seat.close()
