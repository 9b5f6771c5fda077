"""The commands ask and mcp."""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper

import click

from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.durations import Seconds, as_seconds
from clawtap_core.cli.output import as_json, echo, print_json
from clawtap_core.errors import ClawTapError, UsageError
from clawtap_core.model import BY_DEFAULT, Kind, Prompt, PromptForm, PromptState
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
    "--timeout", type=Seconds(), help="Give up after this many seconds (0: wait indefinitely)."
)
@click.option("--default", help="The answer if nobody gives one in time; needs --after.")
@click.option(
    "--after", callback=as_seconds, help="When --default answers, such as 90s, 10m or 2h."
)
@as_json
@with_machine
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
    default: str | None,
    after: float | None,
    as_json: bool,
) -> None:
    """Ask a person and print the answer.

    Exits with 1 if they refuse or nobody answers. With --default and --after, ask for advice only:
    without an answer in time, the default is taken.
    Without --option, --text or --secret, ask for approval: `clawtap ask "Deploy?" && deploy`.
    """
    from clawtap_core.client.ask import question as question_form

    if not question.strip():
        raise UsageError("the question is empty")
    if (default is None) != (after is None):
        raise UsageError("--default and --after go together: what to answer, and when")
    if after is not None and timeout is not None:
        raise UsageError("give --after or --timeout: with a default answer, nothing times out")
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
    ended = _ask(server, form, asker, timeout if after is None else after, default)
    _print(ended, as_json)


@click.command
@click.option(
    "--from", "asker", default="MCP", show_default=True, help="The name of the asking program."
)
@with_machine
def mcp(server: Transport, asker: str) -> None:
    """Serve the tool ask_human to an MCP client over stdio."""
    from clawtap_core.client.mcp import McpServer

    # The protocol says UTF-8, whatever the locale is; a broken line ends nothing.
    lines = TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    McpServer(server, sys.stdout, asker=asker).run(lines)


def _ask(
    server: Transport,
    form: PromptForm,
    asker: str | None,
    seconds: float | None,
    default: str | None,
) -> Prompt:
    from clawtap_core.client.ask import wait_patiently

    prompt = server.ask(form, asker=asker, seconds=seconds, default=default)
    try:
        while prompt.state.open:
            prompt = wait_patiently(server, prompt.request_id, WAIT_SECONDS)
    except KeyboardInterrupt:
        with suppress(ClawTapError):
            server.withdraw(prompt.request_id)
        raise
    return prompt


def _print(ended: Prompt, as_json: bool) -> None:
    from clawtap_core.client.ask import spoken
    from clawtap_core.schemas import AskedPromptSchema

    answered = ended.state is PromptState.ANSWERED
    resolution = ended.resolution
    if resolution and resolution.by == BY_DEFAULT:
        echo(f"{resolution.detail}: this is the default answer", err=True)
    if as_json:
        print_json(AskedPromptSchema().dump(ended))
    else:
        echo(spoken(ended), err=not answered)
    if not answered:
        sys.exit(1)
