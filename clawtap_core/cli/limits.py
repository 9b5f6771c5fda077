"""The command limit, for a session's usage limit and what happens when it ends."""

from __future__ import annotations

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_server
from clawtap_core.cli.lookup import session_named
from clawtap_core.cli.output import as_json, dumped, echo, limit_line, one_line, print_json
from clawtap_core.errors import UsageError
from clawtap_core.model import Session
from clawtap_core.transport import Transport


@click.command
@click.argument("session", shell_complete=complete.sessions)
@click.option("--resume", is_flag=True, help="Send a message when the limit ends.")
@click.option("--message", help="What to send then  [default: continue]")
@click.option("--cancel", is_flag=True, help="Send nothing when the limit ends.")
@click.option("--dismiss", is_flag=True, help="Treat the limit as over now.")
@as_json
@with_server
def limit(
    server: Transport,
    session: str,
    resume: bool,
    message: str | None,
    cancel: bool,
    dismiss: bool,
    as_json: bool,
) -> None:
    """Show a session's usage limit; resume when it ends, or treat it as over."""
    if resume + cancel + dismiss > 1:
        raise UsageError("give one of --resume, --cancel and --dismiss")
    if message is not None and not resume:
        raise UsageError("--message goes with --resume")
    shown = session_named(server, session)
    if resume:
        shown = server.resume_later(shown.id, "continue" if message is None else message)
    elif cancel:
        shown = server.resume_later(shown.id, None)
    elif dismiss:
        shown = server.dismiss_limit(shown.id)
    if as_json:
        print_json(dumped([shown])[0])
    else:
        echo(_line(shown))


def _line(session: Session) -> str:
    if session.limit is None:
        return "no usage limit"
    plan = session.limit.resume
    return limit_line(session) + (f"; then sends: {one_line(plan)}" if plan else "")
