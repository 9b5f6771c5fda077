"""The commands ask and mcp."""

from __future__ import annotations

import sys
from contextlib import suppress

import click

from clawtap_core.cli.connection import with_server
from clawtap_core.cli.output import as_json, print_json
from clawtap_core.errors import ClawTapError
from clawtap_core.model import Kind, Prompt, PromptForm, PromptState
from clawtap_core.transport import Transport

# Shorter than the time limits of proxies.
WAIT_SECONDS = 20.0


@click.command
@click.argument("question")
@click.option("--details", default="", help="Background for the answer; - reads stdin.")
@click.option(
    "-o", "--option", "options", multiple=True, help="An answer to choose from; repeatable."
)
@click.option("--multiple", is_flag=True, help="Allow several options.")
@click.option("--text", is_flag=True, help="Accept free text, in addition to any options.")
@click.option("--secret", is_flag=True, help="Accept text that is never stored.")
@click.option("--from", "asker", help="The name of the asking program; default: that of the token.")
@click.option(
    "--timeout", type=float, help="Give up after this many seconds (0: wait indefinitely)."
)
@as_json
@with_server
def ask(
    server: Transport,
    question: str,
    details: str,
    options: tuple[str, ...],
    multiple: bool,
    text: bool,
    secret: bool,
    asker: str | None,
    timeout: float | None,
    as_json: bool,
) -> None:
    """Ask a person and print the answer.

    Exits with 1 if they refuse or nobody answers.
    Without --option, --text or --secret, ask for approval: `clawtap ask "Deploy?" && deploy`.
    """
    from clawtap_core.client.ask import question as question_form

    background = sys.stdin.read() if details == "-" else details
    if options or text or secret:
        form = question_form(
            question,
            details=background,
            options=options,
            multiple=multiple,
            own=text,
            secret=secret,
        )
    else:
        form = PromptForm(Kind.PERMISSION, question, background)
    _print(_ask(server, form, asker, timeout), as_json)


@click.command
@click.option(
    "--from", "asker", default="MCP", show_default=True, help="The name of the asking program."
)
@with_server
def mcp(server: Transport, asker: str) -> None:
    """Serve the tool ask_human to an MCP client over stdio."""
    from clawtap_core.client.mcp import McpServer

    McpServer(server, sys.stdout, asker=asker).run(sys.stdin)


def _ask(server: Transport, form: PromptForm, asker: str | None, timeout: float | None) -> Prompt:
    prompt = server.ask(form, asker=asker, seconds=timeout)
    try:
        while prompt.state.open:
            prompt = server.wait(prompt.request_id, WAIT_SECONDS)
    except KeyboardInterrupt:
        with suppress(ClawTapError):
            server.withdraw(prompt.request_id)
        raise
    return prompt


def _print(ended: Prompt, as_json: bool) -> None:
    from clawtap_core.client.ask import spoken
    from clawtap_core.schemas import AskedPromptSchema

    answered = ended.state is PromptState.ANSWERED
    if as_json:
        print_json(AskedPromptSchema().dump(ended))
    else:
        click.echo(spoken(ended), err=not answered)
    if not answered:
        sys.exit(1)
