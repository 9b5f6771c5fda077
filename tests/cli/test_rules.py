"""`clawtap rules`: list, try, explain, add and remove."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clawtap_core.errors import Impossible
from clawtap_core.model import (
    Explanation,
    GuardRail,
    Judgement,
    Rule,
    RuleBook,
    RuleDecision,
    RuleOffer,
    RuleTrial,
    TriedPrompt,
)
from clawtap_core.rules import default_guard_rails

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
TESTS = Rule(
    "tests",
    RuleDecision.ALLOW,
    folder="/proj",
    tool="Bash",
    commands=("npm test",),
    owner="phone",
    expires=NOW.replace(year=2126),
    count=14,
)
FILE = '[[rule]]\nname = "no-push"\ndecision = "deny"\ncommands = ["git push ..."]\n'


@pytest.fixture
def ruled(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server with a rule."""
    desk = SimpleNamespace(book=RuleBook("/data/rules.toml", (TESTS,), default_guard_rails()))
    tried = TriedPrompt(
        "r1", "s1", NOW, "npm test", "denied", Judgement(RuleDecision.ALLOW, "tests")
    )
    answers: dict[str, Any] = {
        "rules": lambda: desk.book,
        "add_rules": lambda rules: server.calls.append(("add", tuple(rules))) or rules,
        "remove_rule": lambda name: server.calls.append(("remove", name)) or TESTS,
        "try_rules": lambda rules: (
            server.calls.append(("try", tuple(rules))) or RuleTrial((tried,), 3)
        ),
        "explain": lambda name: Explanation(
            name, Judgement(RuleDecision.ASK, None, ("no rule matches it",)), RuleOffer(TESTS, 14)
        ),
    }
    for name, answer in answers.items():
        monkeypatch.setattr(server, name, answer, raising=False)
    return desk


def test_a_rule_that_has_expired_says_so(run: Any, ruled: Any) -> None:
    ruled.book = RuleBook("/data/rules.toml", (replace(TESTS, expires=NOW),), ())
    assert "expired 2026-01-02" in run("rules").output


def test_rules_are_listed(run: Any, ruled: Any) -> None:
    for arguments in (("rules",), ("rules", "list")):
        shown = run(*arguments)
        assert shown.exit_code == 0
        row = shown.output.splitlines()[1].split()
        assert row[:4] == ["tests", "allow", "npm", "test"]
        assert row[4:] == ["/proj", "14", "2126-01-02", "phone"]
    for arguments in (("rules", "list", "--json"), ("rules", "--json")):
        assert json.loads(run(*arguments).output)["rules"][0]["count"] == 14
    assert "guard-rails" in run("rules", "--help").output
    assert "No such command 'lst'" in run("rules", "lst").stderr


def test_a_broken_file_is_reported(run: Any, ruled: Any) -> None:
    ruled.book = RuleBook("/data/rules.toml", (), (), "line 1: \x1b[31mbad")
    shown = run("rules")
    assert "rules allow nothing now: line 1: bad" in shown.stderr
    assert "repair /data/rules.toml; what it denied before is still denied" in shown.stderr
    assert "no rules yet" not in shown.output


def test_without_rules_it_says_how_to_add_some(run: Any, ruled: Any) -> None:
    ruled.book = RuleBook("/data/rules.toml", ())
    shown = run("rules")
    assert "no rules yet; `clawtap rules add FILE` adds them to /data/rules.toml" in shown.stdout


@pytest.mark.parametrize("command", [("rules",), ("rules", "guard-rails"), ("rules", "try")])
def test_a_hub_says_that_rules_belong_to_machines(
    run: Any, server: Any, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def refuse() -> RuleBook:
        details = {"machines": ["desk"], "missing": "machine"}
        raise Impossible("name a machine: desk", code="on_a_hub", details=details)

    monkeypatch.setattr(server, "rules", refuse, raising=False)
    done = run(*command)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "error: name a machine: desk; add --machine (on_a_hub)\n"


def test_rules_are_added_from_a_file_and_removed(
    run: Any, ruled: Any, server: Any, tmp_path: Path
) -> None:
    file = tmp_path / "new.toml"
    file.write_text(FILE)
    assert run("rules", "add", str(file)).output == "added: no-push\n"
    assert run("rules", "add", "-", stdin=FILE).output == "added: no-push\n"
    assert run("rules", "remove", "tests").output == "removed: tests\n"
    assert [call[0] for call in server.calls if call[0] in ("add", "remove")] == [
        "add",
        "add",
        "remove",
    ]


@pytest.mark.parametrize("text", ["[[rule", '[[rule]]\nname = "x"\ndecision = "allow"'])
def test_a_file_that_holds_no_rules_is_refused(run: Any, ruled: Any, text: str) -> None:
    shown = run("rules", "add", "-", stdin=text)
    assert shown.exit_code != 0
    assert "Traceback" not in shown.output


def test_a_file_without_a_rule_says_so(run: Any, ruled: Any) -> None:
    for command in ("add", "try"):
        shown = run("rules", command, "-", stdin="# later\n")
        assert shown.exit_code == 1
        assert "has no [[rule]] (bad_rules_file)" in shown.stderr


def test_a_guard_rail_is_never_dropped_in_silence(run: Any, ruled: Any, server: Any) -> None:
    guard = '[[guard]]\nname = "prices"\nwhy = "it names them"\npaths = ["**/prices.csv"]\n'
    for command in ("add", "try"):
        shown = run("rules", command, "-", stdin=FILE + guard)
        assert shown.exit_code == 1
        assert "write the guard rail 'prices' into rules.toml yourself" in shown.stderr
    assert not server.calls
    ruled.book = replace(
        ruled.book,
        guard_rails=(
            GuardRail("prices", "it names them", paths=("**/prices.csv",)),
            *ruled.book.guard_rails,
        ),
    )
    assert run("rules", "add", "-", stdin=FILE + guard).output == "added: no-push\n"


def test_a_rule_that_is_added_too_late_says_so(run: Any, ruled: Any) -> None:
    late = FILE + "expires = 2020-01-01\n"
    assert run("rules", "add", "-", stdin=late).output == "added: no-push, but it has expired\n"


def test_rules_are_tried_before_they_are_added(run: Any, ruled: Any, server: Any) -> None:
    shown = run("rules", "try", "-", stdin=FILE)
    assert "would have been: 1 allowed, 3 asked as before" in shown.output
    assert "denied (you denied it)" in shown.output
    assert run("rules", "try", "--rule", "tests").exit_code == 0
    assert [call[1][0].name for call in server.calls if call[0] == "try"] == ["no-push", "tests"]
    assert run("rules", "try", "--rule", "none").exit_code != 0


def test_a_prompt_is_explained_with_the_rule_that_would_allow_it(
    run: Any, ruled: Any, server: Any
) -> None:
    server.ask_permission("r-one-1")
    shown = run("rules", "explain", "r-one-1")
    assert "ask: Run this?\n  no rule matches it\nyou allowed this 14 times before" in shown.output
    assert 'commands = ["npm test"]' in shown.output


def test_guard_rails_are_listed(run: Any, ruled: Any) -> None:
    assert "keys-and-credentials" in run("rules", "guard-rails").output
