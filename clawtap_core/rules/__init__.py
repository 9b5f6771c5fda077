"""Rules that answer permissions: what a call does, which rule matches it, and what none allows."""

from clawtap_core.rules.guard_rails import default_guard_rails
from clawtap_core.rules.judge import judge
from clawtap_core.rules.offer import narrowest_rule
from clawtap_core.rules.rule_check import check_rule
from clawtap_core.rules.rules_file import RulesFile
from clawtap_core.rules.tool_call import ToolCall, read_call

__all__ = [
    "RulesFile",
    "ToolCall",
    "check_rule",
    "default_guard_rails",
    "judge",
    "narrowest_rule",
    "read_call",
]
