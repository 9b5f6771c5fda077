"""The commands rules, and its list, add, remove, try, explain and guard-rails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import TextIO

import click

from clawtap_core.cli import argument_completion as complete
from clawtap_core.cli.connection import with_machine
from clawtap_core.cli.list_by_default import ListByDefault
from clawtap_core.cli.lookup import prompt_named
from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    harmless,
    one_line,
    print_json,
    print_table,
)
from clawtap_core.commands import headline
from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.model import Rule, RuleTrial
from clawtap_core.transport import Transport

_file = click.argument("file", type=click.File(encoding="utf-8"))


@click.group(cls=ListByDefault)
def rules() -> None:
    """Let rules answer permissions, and try and explain them."""


@rules.command("list")
@as_json
@with_machine
def list_rules(server: Transport, as_json: bool) -> None:
    """List the rules."""
    book = server.rules()
    if as_json:
        print_json(dumped([book])[0])
        return
    if book.problem:
        echo(f"rules allow nothing now: {harmless(book.problem)}", err=True)
        echo(f"repair {book.file}; what it denied before is still denied", err=True)
    if not book.rules and not book.problem:
        echo(f"no rules yet; `clawtap rules add FILE` adds them to {book.file}")
        return
    rows = [_row(rule) for rule in book.rules]
    print_table(("RULE", "DOES", "WHAT", "WHERE", "USED", "EXPIRES", "OWNER"), rows)


@rules.command
@_file
@as_json
@with_machine
def add(server: Transport, file: TextIO, as_json: bool) -> None:
    """Add the rules in FILE (-: standard input).

    FILE is TOML with [[rule]] tables.
    """
    added = server.add_rules(_read(server, file))
    if as_json:
        print_json(dumped(added))
        return
    now = datetime.now(timezone.utc)
    for rule in added:
        over = rule.expires is not None and rule.expires <= now
        echo(f"added: {rule.name}{', but it has expired' if over else ''}")


@rules.command
@click.argument("name")
@with_machine
def remove(server: Transport, name: str) -> None:
    """Remove the rule NAME."""
    echo(f"removed: {server.remove_rule(name).name}")


@rules.command("try")
@click.argument("file", type=click.File(encoding="utf-8"), required=False)
@click.option("--rule", "name", help="Try only this rule.")
@as_json
@with_machine
def try_rules(server: Transport, file: TextIO | None, name: str | None, as_json: bool) -> None:
    """Show what rules would have done to everything in the journal.

    Tries the rules in FILE (-: standard input) without adding them; without FILE, the current ones.
    """
    tried = _read(server, file) if file else server.rules().rules
    if name:
        tried = [rule for rule in tried if rule.name == name]
    if not tried:
        raise NotFound(
            f"no such rule: {name!r}" if name else "there are no rules to try",
            code=ErrorCode.RULE_NOT_FOUND,
        )
    trial = server.try_rules(tried)
    if as_json:
        print_json(dumped([trial])[0])
    else:
        _print_trial(trial)


@rules.command
@click.argument("request", metavar="[PROMPT]", required=False, shell_complete=complete.prompts)
@as_json
@with_machine
def explain(server: Transport, request: str | None, as_json: bool) -> None:
    """Say why a prompt was asked, and which rule would allow it."""
    prompt = prompt_named(server, request)
    sessions = (one for one in server.sessions() if one.id == prompt.session_id)
    machine = next((session.machine for session in sessions), None)
    there = server.at(machine.id) if machine else server
    explained = there.explain(prompt.request_id)
    if as_json:
        print_json(dumped([explained])[0])
        return
    if prompt.resolution:
        echo(f"it was {prompt.state.value} by {prompt.resolution.by}; with the rules of today:")
    judgement = explained.judgement
    echo(f"{judgement.decision.value}: {one_line(headline(prompt))}")
    for reason in judgement.reasons:
        echo(f"  {one_line(reason, 300)}")
    if explained.offer:
        from clawtap_core.rules.rules_file import to_toml

        rule = explained.offer.rule
        count = explained.offer.count
        echo(f"you allowed this {'once' if count == 1 else f'{count} times'} before")
        echo("the narrowest rule that would allow it:\n")
        echo(harmless(to_toml(rule)))


@rules.command("guard-rails")
@as_json
@with_machine
def guard_rails(server: Transport, as_json: bool) -> None:
    """List the calls that no rule may allow."""
    rails = server.rules().guard_rails
    if as_json:
        print_json(dumped(rails))
        return
    print_table(("GUARD RAIL", "YOU ARE ASKED WHEN"), [(rail.name, rail.why) for rail in rails])


def _read(server: Transport, file: TextIO) -> Sequence[Rule]:
    from clawtap_core.errors import BadRequest
    from clawtap_core.rules.rules_file import read_rules

    try:
        book = read_rules(file.read())
    except ValueError as error:
        raise BadRequest(f"{file.name}: {error}", code=ErrorCode.BAD_RULES_FILE) from error
    known = server.rules().guard_rails
    if new := [rail.name for rail in book.guard_rails if rail not in known]:
        raise BadRequest(
            f"{file.name}: only rules can be added or tried; write the guard rail {new[0]!r}"
            " into rules.toml yourself",
            code=ErrorCode.BAD_RULES_FILE,
        )
    if not book.rules:
        raise BadRequest(f"{file.name} has no [[rule]]", code=ErrorCode.BAD_RULES_FILE)
    return book.rules


def _print_trial(trial: RuleTrial) -> None:
    counts = Counter(each.judgement.decision.value for each in trial.prompts)
    words = {"allow": "allowed", "deny": "denied", "ask": "asked by a rule"}
    parts = [f"{counts[kind]} {word}" for kind, word in words.items() if counts[kind]]
    echo(f"would have been: {', '.join([*parts, f'{trial.asked} asked as before'])}")
    rows = []
    for prompt in trial.prompts:
        against = prompt.judgement.decision.value == "allow" and prompt.outcome == "denied"
        rows.append(
            (
                prompt.at.astimezone().strftime("%Y-%m-%d %H:%M"),
                prompt.judgement.decision.value,
                one_line(prompt.judgement.rule or "", 40),
                f"{prompt.outcome}{' (you denied it)' if against else ''}",
                one_line(prompt.subject, 80),
            )
        )
    if rows:
        print_table(("WHEN", "WOULD", "RULE", "REALLY", "WHAT"), rows)


def _row(rule: Rule) -> tuple[str, ...]:
    what = [*rule.commands, *rule.files]
    tool = ":".join(filter(None, (rule.server, rule.tool)))
    expires = rule.expires.astimezone().strftime("%Y-%m-%d") if rule.expires else "never"
    if rule.expires and rule.expires <= datetime.now(timezone.utc):
        expires = f"expired {expires}"
    return (
        rule.name,
        rule.decision.value,
        one_line(", ".join(what) or tool or "everything", 50),
        one_line(rule.folder or "everywhere", 40),
        str(rule.count),
        expires,
        one_line(rule.owner or "-", 20),
    )
