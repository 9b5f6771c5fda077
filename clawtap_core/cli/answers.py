"""The commands approve, deny, answer and respond."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.lookup import prompt_named
from clawtap_core.cli.output import as_json, dumped, echo, one_line, print_json
from clawtap_core.cli.prompts import described
from clawtap_core.commands import headline
from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import Answer, Prompt, Response
from clawtap_core.transport import Transport

_KEYED = re.compile(r"(\d{1,2})=(.*)", re.DOTALL)
_prompt = click.argument("prompt", required=False, shell_complete=complete.prompts)
_reason = click.option("--reason", help="A reason for the CLI.")
_answers = click.option(
    "-a",
    "--answer",
    "answers",
    multiple=True,
    help="The answer to the next question, or N=ANSWER for question N (from 0); "
    "repeat N= for each label of a multi-select.",
)
_notes = click.option(
    "-n", "--note", "notes", multiple=True, help="A note for the answer: NOTE, or N=NOTE, as in -a."
)


@click.command
@_prompt
@click.option(
    "--option", help="The option to choose, by label or value; default: the one that allows once."
)
@_reason
@as_json
@with_machine
def approve(
    server: Transport, prompt: str | None, option: str | None, reason: str | None, as_json: bool
) -> None:
    """Approve a prompt: by its id, or the only open one."""
    target = prompt_named(server, prompt)

    def deliver() -> Prompt:
        return server.approve(target.session_id, target.request_id, option=option, reason=reason)

    _print(_expanding(server, target, deliver), as_json)


@click.command
@_prompt
@_reason
@as_json
@with_machine
def deny(server: Transport, prompt: str | None, reason: str | None, as_json: bool) -> None:
    """Deny a prompt: by its id, or the only open one."""
    target = prompt_named(server, prompt)
    _print(server.deny(target.session_id, target.request_id, reason=reason), as_json)


@click.command
@_prompt
@_answers
@_notes
@as_json
@with_machine
def answer(
    server: Transport,
    prompt: str | None,
    answers: Sequence[str],
    notes: Sequence[str],
    as_json: bool,
) -> None:
    """Answer the questions of a prompt.

    For example: `clawtap answer -a SQLite -a 1=Tests -a 1=Types`.
    """
    target = prompt_named(server, prompt)
    if not answers:
        questions = "\n".join(described(target))
        raise BadRequest(f"give the answers with -a:\n{questions}", code=ErrorCode.ANSWER_REQUIRED)
    response = Response(target.request_id, answers=keyed(answers), notes=_keyed_notes(notes))
    _respond(server, target, response, as_json)


@click.command
@_prompt
@click.option("--option", help="The option to choose, by label or value.")
@click.option("--text", help="Free text, where the prompt accepts it.")
@_answers
@_notes
@_reason
@click.option(
    "--decision",
    type=click.Choice(["approve", "deny"]),
    help="Approve or deny, without naming the option.",
)
@as_json
@with_machine
def respond(
    server: Transport,
    prompt: str | None,
    option: str | None,
    text: str | None,
    answers: Sequence[str],
    notes: Sequence[str],
    reason: str | None,
    decision: str | None,
    as_json: bool,
) -> None:
    """Answer a prompt of any kind with a complete response."""
    if not (option or text or answers or decision):
        raise click.UsageError("give --option, --text, --answer or --decision")
    target = prompt_named(server, prompt)
    response = Response(
        target.request_id, option, text, keyed(answers), reason, decision, _keyed_notes(notes)
    )
    _respond(server, target, response, as_json)


def keyed(answers: Sequence[str]) -> dict[str, Answer]:
    """Return answers by question; a repeated question collects several labels."""
    texts: dict[str, list[str]] = {}
    following = 0
    for text in answers:
        match = _KEYED.fullmatch(text)
        key = str(int(match[1])) if match else str(following)
        texts.setdefault(key, []).append(match[2] if match else text)
        following = int(key) + 1
    return {key: group[0] if len(group) == 1 else tuple(group) for key, group in texts.items()}


def _keyed_notes(notes: Sequence[str]) -> dict[str, str]:
    return {
        key: note if isinstance(note, str) else "\n".join(note)
        for key, note in keyed(notes).items()
    }


def _respond(server: Transport, prompt: Prompt, response: Response, as_json: bool) -> None:
    deliver = partial(server.respond, prompt.session_id, response)
    _print(_expanding(server, prompt, deliver), as_json)


def _expanding(server: Transport, prompt: Prompt, deliver: Callable[[], Prompt]) -> Prompt:
    try:
        return deliver()
    except BadRequest as error:
        if error.code != ErrorCode.NOT_OFFERED or not prompt.form.more_options:
            raise
        # The answer may be in the part of the list that is scrolled away.
        server.expand(prompt.session_id, prompt.request_id)
        return deliver()


def _print(ended: Prompt, as_json: bool) -> None:
    if as_json:
        wire = {"ok": True, **dumped([ended])[0]}
        keys = ("ok", "requestId", "state", "resolution")
        print_json({key: wire[key] for key in keys if key in wire})
    else:
        echo(f"{ended.state.value}: {one_line(headline(ended))} ({ended.request_id})")
        if ended.form.truncated:
            echo("note: the CLI had shown only part of it", err=True)
