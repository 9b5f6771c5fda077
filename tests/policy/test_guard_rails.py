"""What no rule may allow, tried with commands that somebody hostile would write."""

from __future__ import annotations

from datetime import timedelta

import pytest
from adversarial_commands import AGAINST_BROAD_RULES, BROAD, COMMANDS, MEANT_WELL, NAMED_BY_BROAD
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from project_calls import NOW, Project

from clawtap_core.model import GuardRail, Rule, RuleBook, RuleDecision
from clawtap_core.rules import check_rule, default_guard_rails, judge

ALLOW = RuleDecision.ALLOW
BEFORE = (
    "",
    " ",
    "\t",
    "\n",
    "ls; ",
    "ls && ",
    "ls || ",
    "ls | ",
    "cd src && ",
    "ls\n",
    "echo '' ; ",
)
AFTER = (
    "",
    " ",
    "\n",
    " ;",
    "; ls",
    " && ls",
    " || ls",
    " | cat",
    "\nls",
    " 2>&1",
    " >/dev/null",
    " ''",
)
many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def well_meant(
    project: Project, *own: GuardRail, commands: tuple[str, ...] = MEANT_WELL
) -> RuleBook:
    rule = Rule(
        "wide",
        ALLOW,
        folder=str(project.folder),
        tool="Bash",
        commands=commands,
        expires=NOW + timedelta(days=1),
    )
    check_rule(rule)
    return RuleBook("", (rule,), (*default_guard_rails(), *own))


def test_there_are_three_hundred_of_them() -> None:
    assert len(set(COMMANDS)) >= 300
    assert len(set(AGAINST_BROAD_RULES)) >= len(set(COMMANDS)) + 150


def test_no_hostile_command_slips_through_a_rule_for_something_else(project: Project) -> None:
    rules = well_meant(project)
    judged = {command: judge(project.bash(command), rules, NOW) for command in COMMANDS}
    slipped = {
        command: judgement
        for command, judgement in judged.items()
        if judgement.decision is not RuleDecision.ASK or not judgement.reasons
    }
    assert slipped == {}


def test_no_hostile_command_slips_through_rules_for_whole_programs(project: Project) -> None:
    rules = well_meant(project, commands=(*MEANT_WELL, *BROAD))
    allowed = {
        command
        for command in AGAINST_BROAD_RULES
        if judge(project.bash(command), rules, NOW).decision is ALLOW
    }
    assert allowed == set(AGAINST_BROAD_RULES) & set(NAMED_BY_BROAD)


@pytest.mark.parametrize(
    "command",
    [
        "npm test",
        "npm test 2>&1 | tail -20",
        "git status --short && git diff --stat",
        "git commit -m 'Fix the cart (again)'",
        "git push origin feature/cart",
        "ls -la src && cat src/cart.ts",
        "grep -rn 'total' src | head -5",
        "find src -name '*.ts' -type f",
        "pytest -x -q tests/test_cart.py",
        "go test ./...",
        "rm src/old.ts",
        "mkdir -p src/new",
        "cp src/a.ts src/b.ts",
        "curl -sS https://example.org/status",
        "make test",
        "chmod 755 run",
        "chmod +x run",
        "date +%s",
        "date -Iseconds",
        "jq '.environments' a.json",
        "eslint --fix src",
        "tar czf out.tgz src",
        "git checkout -b topic",
        "git add .",
        "git diff .",
        "git fetch --prune origin",
        "git branch -avv",
        "git branch --format '%(refname)'",
        "git push -u origin feature/heads-up",
        "find . -name '*.ts'",
        "fd cart .",
        "curl -sS --max-time 10 'https://example.org/a?b=c%20d'",
        "git branch --list",
        "go test -run Cart ./...",
        "python -m pytest -x -q tests/test_cart.py",
    ],
)
def test_everyday_commands_are_still_allowed(project: Project, command: str) -> None:
    judgement = judge(project.bash(command), well_meant(project), NOW)
    assert (judgement.decision, judgement.reasons) == (ALLOW, ("the rule wide says allow",))


@given(st.sampled_from(COMMANDS), st.sampled_from(BEFORE), st.sampled_from(AFTER))
@many
def test_harmless_company_never_turns_ask_into_allow(
    project: Project, command: str, before: str, after: str
) -> None:
    # From a folder of the project, the folder above is inside, too.
    assume(not (before.startswith("cd ") and ".." in command))
    judgement = judge(project.bash(before + command + after), well_meant(project), NOW)
    assert judgement.decision is RuleDecision.ASK


QUOTED = st.sampled_from(("{}", "'{}'", '"{}"', "\\{}", "$'{}'"))


@given(
    st.sampled_from(("git push x y", "rm a", "npm publish now", "cat k")),
    st.lists(QUOTED, min_size=4, max_size=4),
)
@many
def test_quoting_never_turns_ask_or_deny_into_allow(
    project: Project, line: str, quotes: list[str]
) -> None:
    book = well_meant(project)
    name = line.split()[0]
    for decision in (RuleDecision.DENY, RuleDecision.ASK):
        strict = Rule("strict", decision, commands=(f"{name} ...",))
        rules = RuleBook("", (*book.rules, strict), book.guard_rails)
        quoted = " ".join(
            quote.format(word) for quote, word in zip(quotes, line.split(), strict=False)
        )
        assert judge(project.bash(line), rules, NOW).decision is decision
        assert judge(project.bash(quoted), rules, NOW).decision is not ALLOW


def test_own_guard_rails_are_added(project: Project) -> None:
    call = project.bash("cat src/prices.csv")
    own = GuardRail("prices", "it names the prices", paths=("**/prices.csv",))
    assert judge(call, well_meant(project), NOW).decision is ALLOW
    judgement = judge(call, well_meant(project, own), NOW)
    assert judgement.reasons == ("guard rail prices: it names the prices",)


def test_every_guard_rail_can_be_read() -> None:
    rails = default_guard_rails()
    assert len({rail.name for rail in rails}) == len(rails)
    for rail in rails:
        assert rail.why[0].islower()
        assert rail.programs or rail.paths or rail.risks
