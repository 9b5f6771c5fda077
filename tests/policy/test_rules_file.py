"""rules.toml: read again when it changes, edited with care, and safe when it is broken."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path

import pytest

from clawtap_core.errors import ClawTapError
from clawtap_core.model import Rule, RuleDecision
from clawtap_core.rules import RulesFile

GOOD = """\
# my own words
[[rule]]
name = "tests"
decision = "allow"
folder = "/shop"
tool = "Bash"
commands = ["npm test"]  # every day
expires = 2030-01-01

[[rule]]
name = "no-push"
decision = "deny"
commands = ["git push ..."]

[[guard]]
name = "prices"
why = "it names the prices"
paths = ["**/prices.csv"]
"""


def names(file: RulesFile) -> list[str]:
    return [rule.name for rule in file.book().rules]


def test_without_a_file_there_are_no_rules(tmp_path: Path) -> None:
    file = RulesFile(tmp_path / "rules.toml")
    assert not file.exists
    assert file.book().rules == ()
    assert file.book().problem is None


def test_the_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    file = RulesFile(path)
    path.write_text(GOOD)
    assert names(file) == ["tests", "no-push"]
    assert file.book().rules[0].expires == datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert file.book().guard_rails[-1].name == "prices"
    path.write_text(GOOD.replace('"no-push"', '"never-push"'))
    assert names(file) == ["tests", "never-push"]
    path.unlink()
    assert names(file) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("[[rule", "line 1"),
        ('[[rule]]\nname = "x"\ndecision = "perhaps"', "decision"),
        ('[[rule]]\nname = "x"\ndecision = "allow"', "must also name its folder"),
        ('[[rule]]\nname = "x"\ndecision = "deny"\nwhen = "now"', "unknown field: when"),
        ('[rule]\nname = "x"', "two brackets"),
        ('[[rules]]\nname = "x"', "no such table: 'rules'"),
        ('[[guard]]\nname = "x"', "why is required"),
        ('[[rule]]\nname = "x"\ndecision = "deny"\n' * 2, "two rules have the name 'x'"),
        ('[[rule]]\nname = "x"\ndecision = "deny"\ncommands = ["ls $x"]', "not a pattern"),
        ('[[rule]]\nname = "x"\ndecision = "deny"\ntool = "mcp__*"', "whole names"),
        ("\xff", "codec"),
        ('rule = ["x"]', "two brackets"),
        ('[[rule]]\nname = "x"\ndecision = "deny"\ninput = ' + "[" * 5000, "nested"),
    ],
)
def test_a_broken_file_is_said_and_what_was_denied_stays_denied(
    tmp_path: Path, broken: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rules.toml"
    file = RulesFile(path)
    path.write_text(GOOD)
    assert len(file.book().rules) == 2
    path.write_bytes(broken.encode("latin-1"))
    book = file.book()
    assert said in (book.problem or "")
    assert [rule.name for rule in book.rules] == ["no-push"]
    assert "prices" in [rail.name for rail in book.guard_rails]
    file.book()
    assert len([entry for entry in caplog.records if "cannot be read" in entry.message]) == 1
    for change in (lambda: file.add(Rule("y", RuleDecision.DENY)), lambda: file.remove("no-push")):
        with pytest.raises(ClawTapError, match=r"repair .* first"):
            change()
    assert path.read_bytes() == broken.encode("latin-1")
    path.write_text(GOOD)
    assert names(file) == ["tests", "no-push"]


def test_a_parser_that_fails_itself_leaves_no_rule_of_before_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rules.toml"
    file = RulesFile(path)
    path.write_text(GOOD)
    assert len(file.book().rules) == 2

    def fails(_text: str) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("clawtap_core.rules.rules_file.tomlkit.parse", fails)
    path.write_text(GOOD + "# more")
    assert file.book().problem == "the file cannot be read: too deep"
    assert [rule.name for rule in file.book().rules] == ["no-push"]


@pytest.mark.timeout(10)
def test_a_pipe_in_place_of_the_file_holds_nothing_up(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    file = RulesFile(path)
    path.write_text(GOOD)
    assert len(file.book().rules) == 2
    path.unlink()
    os.mkfifo(path, 0o600)
    book = file.book()
    assert "no regular file" in (book.problem or "")
    assert [rule.name for rule in book.rules] == ["no-push"]


def test_a_file_that_others_can_change_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(GOOD)
    path.chmod(0o666)
    assert "other users can change it" in (RulesFile(path).book().problem or "")


def test_rules_are_added_and_removed_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(GOOD)
    file = RulesFile(path)
    rule = Rule(
        "fetch",
        RuleDecision.ALLOW,
        adapter="claude",
        folder="/shop",
        tool="WebFetch",
        input={"url": "https://example.org", "depth": 2, "more": {"a": [1], "b": None}},
        owner="Pixel 8",
        expires=datetime(2030, 1, 1, 12, 30, tzinfo=timezone.utc),
    )
    file.add(rule)
    assert names(file) == ["tests", "no-push", "fetch"]
    read = file.book().rules[-1]
    assert (read.owner, read.expires, read.tool) == (rule.owner, rule.expires, rule.tool)
    with pytest.raises(ClawTapError, match="a rule 'fetch' exists already"):
        file.add(rule)
    assert file.remove("fetch") == read
    file.remove("no-push")
    text = path.read_text()
    assert "# my own words" in text
    assert "# every day" in text
    assert names(file) == ["tests"]
    with pytest.raises(ClawTapError, match="no such rule"):
        file.remove("fetch")


def test_the_first_rule_makes_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    file = RulesFile(path)
    file.add(Rule("no-push", RuleDecision.DENY, commands=("git push ...",), reason="ask\nme"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert RulesFile(path).book().rules[0].reason == "ask\nme"
    file.remove("no-push")
    assert names(file) == []
