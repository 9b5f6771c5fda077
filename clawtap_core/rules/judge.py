"""What rules decide about a call: deny wins over ask, ask over allow; in doubt, ask."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from clawtap_core.model import Judgement, Rule, RuleBook, RuleDecision
from clawtap_core.rules.command_paths import word_paths
from clawtap_core.rules.doubts import doubts
from clawtap_core.rules.guard_rails import crossed
from clawtap_core.rules.paths import NamedPath, is_inside, leaves, matches, real_path
from clawtap_core.rules.patterns import match_exactly, match_loosely
from clawtap_core.rules.tool_call import ToolCall
from clawtap_core.rules.tool_input import same_input

_MOST_REASONS = 8


def judge(call: ToolCall, book: RuleBook, now: datetime) -> Judgement:
    """Return what a rule book decides about a call."""
    if reason := call.unanswerable:
        return _ask(reason)
    rules = [rule for rule in book.rules if in_force(rule, now) and _is_about(rule, call)]
    # To deny or to ask is always safe, so these rules hold even for calls that are not understood,
    # and while the file cannot be read.
    for decision in (RuleDecision.DENY, RuleDecision.ASK):
        for rule in rules:
            if rule.decision is decision and _holds_loosely(rule, call):
                return Judgement(
                    decision, rule.name, (f"the rule {rule.name} says {decision.value}",)
                )
    if book.problem:
        return _ask("the rules cannot be read, so they allow nothing")
    allowing = [rule for rule in rules if rule.decision is RuleDecision.ALLOW]
    # No rule allows a call that is not understood in every word, or that crosses a guard rail.
    reasons = list(dict.fromkeys(doubts(call)))
    reasons += [f"guard rail {rail.name}: {rail.why}" for rail in crossed(call, book.guard_rails)]
    if reasons:
        return _ask(*reasons)
    misses: list[str] = []
    for rule in allowing:
        miss = _miss(rule, call)
        if miss is None:
            return Judgement(RuleDecision.ALLOW, rule.name, (f"the rule {rule.name} says allow",))
        misses.append(f"the rule {rule.name} does not allow it: {miss}")
    return _ask(*(misses or ["no rule matches it"]))


def in_force(rule: Rule, now: datetime) -> bool:
    """Return whether a rule has not expired."""
    return rule.expires is None or now < rule.expires


def _ask(*reasons: str) -> Judgement:
    return Judgement(RuleDecision.ASK, None, reasons[:_MOST_REASONS])


def _is_about(rule: Rule, call: ToolCall) -> bool:
    if rule.adapter not in (None, call.adapter):
        return False
    if rule.folder is not None:
        folder = real_path(str(Path(rule.folder).expanduser()))
        if not call.folder or not is_inside(real_path(call.folder), folder):
            return False
    return call.is_tool(rule.server, rule.tool)


def _holds_loosely(rule: Rule, call: ToolCall) -> bool:
    """Return whether a call does what a rule that denies or asks is about."""
    if rule.commands:
        commands = call.script.commands if call.script else ()
        if not any(match_loosely(command, rule.commands) for command in commands):
            return False
    if rule.files and not any(_is_listed(named, rule.files, call.folder) for named in call.paths):
        return False
    return rule.input is None or same_input(rule.input, call.input)


def _miss(rule: Rule, call: ToolCall) -> str | None:
    """Return why a rule does not allow a call; None if it does."""
    if rule.commands:
        return _command_miss(rule, call)
    if call.script is not None:
        return "it names no commands"
    if rule.input is not None and not same_input(rule.input, call.input):
        return "the input of the tool differs"
    if rule.files:
        if not call.paths:
            return "the call names no file"
        return _file_miss(rule.files, call.paths, call.folder)
    if rule.input is None and not (rule.server and call.is_mcp):
        return "it does not say what the call may do"
    return None


def _command_miss(rule: Rule, call: ToolCall) -> str | None:
    if call.script is None:
        return "it matches commands only"
    for command in call.script.commands:
        match = match_exactly(command, rule.commands, call.runs_in)
        if match is None:
            return f"{command.name or 'a redirection'} matches none of its commands"
        # A wildcard may stand for any path; without `files` only for paths inside the folder.
        wild = [path for word in match.wild for path in word_paths(word, command.directory)]
        if miss := _file_miss(rule.files or ("inside",), wild, call.folder):
            return miss
    return None


def _file_miss(files: Sequence[str], paths: Sequence[NamedPath], folder: str) -> str | None:
    for named in paths:
        if not _is_listed(named, files, folder) or named.path is None:
            return f"{named.written} matches none of its files"
    return None


def _is_listed(named: NamedPath, files: Sequence[str], folder: str) -> bool:
    for entry in files:
        if entry in ("inside", "outside"):
            if leaves(named, folder) is (entry == "outside"):
                return True
            continue
        for base, path in ((folder, named.path), (real_path(folder), named.real)):
            glob = entry if entry.startswith(("/", "~", "**/")) else f"{base}/{entry}"
            if path is None or not matches(path, (glob,)):
                break
        else:
            return True
    return False
