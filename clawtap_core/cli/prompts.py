"""The command pending, and prompts as text for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.lookup import session_named
from clawtap_core.cli.output import (
    Labels,
    as_json,
    dumped,
    echo,
    harmless,
    local_time,
    one_line,
    paint,
    print_json,
)
from clawtap_core.commands import asker, command_key, headline, is_unset, shell_command
from clawtap_core.model import Effect, Kind, Prompt, PromptForm, Question, Session
from clawtap_core.model.ansi import exact
from clawtap_core.prompts.identity import squeeze
from clawtap_core.transport import Transport

CUT = "the CLI shows only part of this; to see all of it"
_COLOURS = {Effect.ALLOW_ONCE: "32", Effect.ALLOW_ALWAYS: "33", Effect.DENY: "31"}


@click.command
@click.argument("session", required=False, shell_complete=complete.sessions)
@as_json
@with_machine
def pending(server: Transport, session: str | None, as_json: bool) -> None:
    """List open prompts, oldest first, of all sessions or of one."""
    named = session_named(server, session).id if session else None
    prompts = server.pending(named)
    if as_json:
        print_json(dumped(prompts))
        return
    if not prompts:
        echo("no prompt is open")
        return
    label = Labels(server)
    sessions = {session.id: session for session in server.sessions()}
    for prompt in prompts:
        asks = sessions.get(prompt.session_id)
        lines = described(prompt, label(asks.adapter if asks else ""), _place(prompt, asks))
        echo("\n".join(lines))


def _place(prompt: Prompt, session: Session | None) -> str:
    """Return where a prompt waits: its session, the machine in a fleet, and the title."""
    place = f"in {prompt.session_id}"
    if session and session.machine:
        place += f" on {one_line(session.machine.name, 20)}"
    return f"{place}: {one_line(session.title, 40)}" if session and session.title else place


def described(prompt: Prompt, label: str = "", place: str = "") -> Iterator[str]:
    """Yield a prompt as lines of text."""
    form = prompt.form
    where = f" {form.position.index}/{form.position.total}" if form.position else ""
    head = [
        paint(prompt.request_id, "1"),
        label,
        form.kind.value + where,
        one_line(asker(prompt), 40),
        place,
    ]
    yield "  ".join(part for part in head if part)
    title = headline(prompt)
    yield f"  {paint(one_line(title), '1')}"
    for line in "\n".join(_body(form)).splitlines():
        yield f"    {line}"
    if form.truncated:
        yield paint(f"  {CUT}: clawtap attach {prompt.session_id}", "33")
    yield from _option_lines(form, title)
    if prompt.default and prompt.expires_at:
        yield f"  answers {one_line(prompt.default)} at {local_time(prompt.expires_at)}"
    if form.kind is Kind.UNKNOWN:
        yield f"  not recognised; answer it in the terminal: clawtap attach {prompt.session_id}"


def _body(form: PromptForm) -> Iterator[str]:
    """Yield what is asked, the command even where only the call's input or the title has it."""
    call = {} if form.kind is Kind.QUESTION else form.tool_input or {}
    command = shell_command(call)
    if squeeze(command) not in squeeze(form.description):
        yield exact(command)
    if form.description:
        yield exact(form.description)
        return
    for name, value in call.items():
        if not is_unset(name, value) and name != command_key(call):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield exact(f"{name}: {text}")
    if form.screen:
        yield harmless(form.screen)


def _option_lines(form: PromptForm, title: str) -> Iterator[str]:
    for option in form.options:
        label = paint(one_line(option.label), _COLOURS.get(option.effect, ""))
        yield f"  - {label}  [{option.value}]"
    if form.text_input:
        yield f"  - text: {one_line(form.text_input.placeholder or '')}".rstrip()
    for index, question in enumerate(form.questions):
        yield from _question_lines(index, question, title)
    if form.more_options:
        yield "  - … and more below the visible part of the list"


def _question_lines(index: int, question: Question, title: str) -> Iterator[str]:
    if question.question != title:
        yield f"  {index}: {one_line(question.question)}"
    for option in question.options:
        hint = f"  {one_line(option.description)}" if option.description else ""
        yield f"  {'[ ]' if question.multi_select else '-'} {one_line(option.label)}{hint}"
    if question.other or not question.options:
        yield "  - text"
