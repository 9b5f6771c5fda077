"""The narrowest rule that would allow a call: this very call, in this folder, for a month."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from clawtap_core.commands import Command, tool_verb
from clawtap_core.errors import BadRequest
from clawtap_core.model import Rule, RuleBook, RuleDecision
from clawtap_core.rules.command_paths import is_stream
from clawtap_core.rules.judge import judge
from clawtap_core.rules.patterns import ONE, REST
from clawtap_core.rules.rule_check import check_rule
from clawtap_core.rules.tool_call import ToolCall

OFFERED_FOR = timedelta(days=30)
_FILE_VERBS = ("Edit", "Write", "Read", "Access")


def narrowest_rule(
    call: ToolCall, book: RuleBook, now: datetime, names: Collection[str] = ()
) -> Rule | None:
    """Return a rule that allows this call and no other; None if no rule may allow it."""
    if call.unanswerable:
        return None
    commands = _patterns(call)
    if commands is None:
        return None
    # Of other tools, such as one that starts an agent in a folder, the path says too little.
    of_files = not commands and tool_verb(call.tool) in _FILE_VERBS
    files = tuple(dict.fromkeys(named.written for named in call.paths)) if of_files else ()
    if any(_is_wild(path) for path in files):
        return None
    rule = Rule(
        _name(call, names),
        RuleDecision.ALLOW,
        adapter=call.adapter,
        folder=call.folder,
        tool=call.tool,
        commands=commands,
        files=files,
        input=None if commands or files else dict(call.input),
        created=now,
        expires=now + OFFERED_FOR,
    )
    alone = RuleBook("", (rule,), book.guard_rails)
    try:
        check_rule(rule)
        fits = judge(call, alone, now).decision is RuleDecision.ALLOW
    except BadRequest:
        return None
    return rule if fits else None


def _patterns(call: ToolCall) -> tuple[str, ...] | None:
    if call.script is None:
        return ()
    patterns = []
    for command in call.script.commands:
        if command.wrappers:
            continue  # it is in the pattern of its wrapper
        words = [command.program, *(word.text for word in command.arguments)]
        if REST in words or not command.program:
            return None
        patterns.append(_pattern(command, words))
    if any(command.name == "cd" for command in call.script.commands):
        # What follows may run there, and nowhere else.
        return (" && ".join(patterns),)
    return tuple(dict.fromkeys(patterns))


def _pattern(command: Command, words: list[str]) -> str:
    redirections = [
        f"{each.operator}{shlex.quote(each.target.text)}"
        for each in command.redirections
        if not is_stream(each.operator, each.target.text)
    ]
    return " ".join([shlex.join(words).replace(f" {ONE} ", f" '{ONE}' "), *redirections])


def _is_wild(path: str) -> bool:
    """Return whether a rule for this path would hold for others, too."""
    return path in ("inside", "outside") or re.search(r"[*?]", path) is not None


def _name(call: ToolCall, names: Collection[str]) -> str:
    about = call.command or " ".join(
        (call.tool, *(PurePosixPath(each.written).name for each in call.paths[:1]))
    )
    words = re.findall(r"[A-Za-z0-9]+", about)[:5]
    folder = re.findall(r"[A-Za-z0-9]+", PurePosixPath(call.folder).name)[:3]
    base = "-".join([*words, "in", *folder])[:60].strip("-") or "rule"
    name, number = base, 2
    while name in names:
        name, number = f"{base}-{number}", number + 1
    return name
