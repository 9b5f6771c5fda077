"""The command restore."""

from __future__ import annotations

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.lookup import session_named
from clawtap_core.cli.output import Labels, as_json, dumped, echo, one_line, paint, print_json
from clawtap_core.model import Restoration, RestoreOutcome
from clawtap_core.transport import Transport

_WORDS = {
    RestoreOutcome.POSSIBLE: ("can be restored", "36"),
    RestoreOutcome.RESTORED: ("restored", "32"),
    RestoreOutcome.STARTING: ("starting", "33"),
    RestoreOutcome.WITHOUT_CONVERSATION: ("started without its conversation", "33"),
    RestoreOutcome.IMPOSSIBLE: ("not restored", "31"),
}

_FAILED = (RestoreOutcome.IMPOSSIBLE, RestoreOutcome.WITHOUT_CONVERSATION)


@click.command
@click.argument("sessions", nargs=-1, shell_complete=complete.sessions)
@click.option("--dry-run", is_flag=True, help="Only show what would be restored, and what cannot.")
@as_json
@with_machine
def restore(server: Transport, sessions: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Bring back the sessions that were lost, or the named ones of them.

    Sessions are lost when the machine or tmux stops while they run. Each is resumed in its folder
    with its conversation, mode and queued messages. Sessions that you ended stay ended. The exit
    status is 1 if one could not be restored, or not with its conversation.
    """
    chosen = [session_named(server, name).id for name in sessions]
    restored = server.restore(chosen, dry_run=dry_run)
    if as_json:
        print_json({"sessions": dumped(restored)})
    elif not restored:
        echo("no session was lost")
    else:
        label = Labels(server)
        for each in restored:
            echo(_line(each, label))
    if any(each.outcome in _FAILED for each in restored):
        raise SystemExit(1)


def _line(restored: Restoration, label: Labels) -> str:
    session, (words, colour) = restored.session, _WORDS[restored.outcome]
    reason = f": {one_line(restored.reason, 200)}" if restored.reason else ""
    queued = f", {session.queued} queued" if session.queued else ""
    title = f"{one_line(session.title, 40)} in {one_line(session.cwd, 80)}"
    return (
        f"{session.id}  {label(session.adapter)}  {title}{queued}  {paint(words, colour)}{reason}"
    )
