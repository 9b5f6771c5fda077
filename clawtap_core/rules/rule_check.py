"""Checks of a rule: one that allows must say exactly what, where and for how long."""

from __future__ import annotations

import re

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.model import Rule, RuleDecision
from clawtap_core.rules.patterns import compile_pattern

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def check_rule(rule: Rule) -> None:
    """Raise BadRequest if a rule says too little or can never match."""
    if not _NAME.fullmatch(rule.name):
        raise _bad(rule, "a name has letters, digits, '.', '_' and '-', 80 at most")
    if rule.folder is not None and not rule.folder.startswith(("/", "~")):
        raise _bad(rule, "the folder must be an absolute path")
    if re.search(r"[*?]", f"{rule.tool or ''}{rule.server or ''}"):
        raise _bad(rule, "tool and server are whole names, without * or ?")
    for pattern in rule.commands:
        compile_pattern(pattern)
    if rule.decision is not RuleDecision.ALLOW:
        return
    what = rule.commands or rule.files or rule.input is not None or rule.server
    missing = [
        name
        for name, value in (
            ("folder", rule.folder),
            ("tool or server", rule.tool or rule.server),
            ("expires", rule.expires),
            ("commands, files, input or server", what),
        )
        if not value
    ]
    if missing:
        raise _bad(rule, f"a rule that allows must also name its {missing[0]}")


def _bad(rule: Rule, why: str) -> BadRequest:
    return BadRequest(f"the rule {rule.name!r} cannot be used: {why}", code=ErrorCode.BAD_RULE)
