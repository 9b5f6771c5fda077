"""What rules say to a call: deny wins over ask, ask over allow, in doubt a person is asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from project_calls import NOW, Project

from clawtap_core.errors import BadRequest
from clawtap_core.model import Effect, Judgement, Kind, Option, Rule, RuleBook, RuleDecision
from clawtap_core.rules import (
    ToolCall,
    check_rule,
    default_guard_rails,
    judge,
    narrowest_rule,
    read_call,
)

ALLOW, DENY, ASK = RuleDecision.ALLOW, RuleDecision.DENY, RuleDecision.ASK


def allow(project: Project, **fields: Any) -> Rule:
    rule = Rule(
        fields.pop("name", "allows"),
        ALLOW,
        folder=fields.pop("folder", str(project.folder)),
        tool=fields.pop("tool", "Bash"),
        expires=NOW + timedelta(days=1),
        **fields,
    )
    check_rule(rule)
    return rule


def judged(call: ToolCall, *rules: Rule, problem: str | None = None) -> Judgement:
    return judge(call, RuleBook("rules.toml", rules, default_guard_rails(), problem), NOW)


def decision(call: ToolCall, *rules: Rule) -> RuleDecision:
    return judged(call, *rules).decision


def test_without_rules_a_person_is_asked(project: Project) -> None:
    assert judged(project.bash("npm test")).reasons == ("no rule matches it",)


@pytest.mark.parametrize(
    "line", ["npm test", "npm  'test'", '"npm" te\\st', "npm test 2>&1", "npm test >/dev/null"]
)
def test_a_command_is_allowed_word_for_word(project: Project, line: str) -> None:
    assert decision(project.bash(line), allow(project, commands=("npm test",))) is ALLOW


def test_a_call_that_also_asks_for_permissions_is_never_allowed(project: Project) -> None:
    call = project.bash("npm test")
    form = replace(call.form, tool_input={**call.input, "permissions": "write `/opt/cache`"})
    more = read_call(form, call.adapter, call.folder)
    answer = judged(more, allow(project, commands=("npm test",)))
    assert answer.decision is ASK
    assert "it also asks for more permissions" in answer.reasons


@pytest.mark.parametrize(
    "line",
    [
        "npm test --watch",
        "npm testing",
        "npm",
        "./npm test",
        "NPM test",
        "npm test; npm run x",
        "npm test && ls",
        "npm test | tee log",
        "npm test > log",
        "npm test < log",
        "npm test &",
        "npm test # note",
        "(npm test)",
        "! npm test",
        "A=1 npm test",
        "A=1; npm test",
        "env npm test",
        "time npm test",
        "sudo npm test",
        "echo npm test",
        "$(npm test)",
        "npm `echo test`",
        "npm $t",
        "npm t{e,}st",
        "npm tes?",
        "if true; then npm test; fi",
        "npm() { ls; }; npm test",
        "cd .. && npm test",
        "npm test \\\n --x",
        "npm test <<EOF\nx\nEOF",
        "npm tes\u0442",
        "npm\u00a0test",
        "npm test\u200b",
        "npm 'test",
        "npm test\rls",
        "npm\rtest",
        "npm test\f",
        "",
    ],
)
def test_anything_else_is_asked(project: Project, line: str) -> None:
    assert decision(project.bash(line), allow(project, commands=("npm test",))) is ASK


def test_every_command_of_a_line_must_be_allowed_by_one_rule(project: Project) -> None:
    tests = allow(project, commands=("npm test",))
    lists = allow(project, name="lists", commands=("ls ...",))
    both = allow(project, name="both", commands=("npm test", "ls ..."))
    line = project.bash("npm test && ls -la src")
    assert decision(line, tests, lists) is ASK
    assert judged(line, tests, both) == Judgement(ALLOW, "both", ("the rule both says allow",))


@pytest.mark.parametrize(
    ("pattern", "line", "expected"),
    [
        ("ls ...", "ls", ALLOW),
        ("ls ...", "ls -la src", ALLOW),
        ("cat *", "cat a.txt", ALLOW),
        ("cat *", "cat a b", ASK),
        ("cat *", "cat -n", ASK),
        ("cat *", "cat /etc/hosts", ASK),
        ("cat *", "cat ../secret", ASK),
        ("cat *", "cat ~/notes", ASK),
        ("ls ...", "ls /", ASK),
        ("ls ...", "ls $HOME", ASK),
        ("ls ...", "ls --color=/x", ASK),
        ("ls ...", "ls *", ASK),
        ("cat /etc/hosts", "cat /etc/hosts", ALLOW),
        ("npm test >log", "npm test > log", ALLOW),
        ("npm test >log", "npm test > other", ASK),
        ("npm test >log", "npm test >> log", ASK),
        ("timeout 5 pytest", "timeout 5 pytest", ASK),
    ],
)
def test_wildcards_stay_in_the_project(
    project: Project, pattern: str, line: str, expected: RuleDecision
) -> None:
    assert decision(project.bash(line), allow(project, commands=(pattern,))) is expected


def test_a_link_that_leads_out_of_the_project_is_asked(project: Project) -> None:
    (project.folder / "notes").symlink_to("/etc/hostname")
    (project.folder / "out").symlink_to("/etc")
    for line in ("cat notes", "cat ./notes", "cat out/hosts", "cat src/../notes"):
        rule = allow(project, commands=("cat ...", line))
        assert decision(project.bash(line), rule) is ASK, line


def test_a_relative_path_is_read_where_the_command_runs(project: Project) -> None:
    rule = allow(project, commands=("cd *", "cat *"))
    assert decision(project.bash("cd src && cat ../a"), rule) is ALLOW
    assert decision(project.bash("cd src && cat ../../a"), rule) is ASK
    assert decision(project.bash("cd ../other && cat a"), rule) is ASK
    assert decision(project.bash("cd - && cat a"), rule) is ASK
    assert decision(project.bash("cat ../a", dir_path="src"), rule) is ALLOW
    assert decision(project.bash("cat a", dir_path="/tmp"), rule) is ASK


@pytest.mark.parametrize(
    "line",
    [
        "cd missing; cat ../a",
        "cd src other; cat ../a",
        "cd -P src && cat ../a",
        "cat a || cd src; cat ../a",
        "cd src || cat ../a",
        "cat a | cd src; cat ../a",
    ],
)
def test_a_change_of_folder_that_may_fail_is_asked(project: Project, line: str) -> None:
    rule = allow(project, commands=("cd ...", "cat ..."))
    assert decision(project.bash("cd src && cat ../a"), rule) is ALLOW
    assert decision(project.bash(line), rule) is ASK


def test_a_path_that_goes_back_through_a_link_is_asked(project: Project) -> None:
    far = project.folder.parent / "far" / "deep"
    far.mkdir(parents=True)
    (project.folder / "link").symlink_to(far)
    (project.folder / "near").symlink_to("src")
    commands = allow(project, commands=("cat ...",))
    files = allow(project, tool="Read", files=("inside",))
    for path, expected in (("link/../a", ASK), ("near/../a", ALLOW), ("src/../a", ALLOW)):
        assert decision(project.bash(f"cat {path}"), commands) is expected, path
        assert decision(project.tool("Read", file_path=path), files) is expected, path
        absolute = f"{project.folder}/{path}"
        assert decision(project.tool("Read", file_path=absolute), files) is expected, path
    assert decision(project.bash("cat a", dir_path="link/.."), commands) is ASK


def test_a_pattern_that_changes_the_folder_holds_in_that_folder(project: Project) -> None:
    (project.folder / "docs").mkdir()
    rule = allow(project, commands=("cd docs && make clean", "git status"))
    assert decision(project.bash("cd docs && make clean"), rule) is ALLOW
    assert decision(project.bash("cd docs && git status"), rule) is ALLOW
    assert decision(project.bash("make clean", dir_path="docs"), rule) is ASK
    for line in ("make clean", "cd docs && cd .. && make clean", "cd docs && make clean x"):
        assert decision(project.bash(line), rule) is ASK, line


def test_the_narrowest_rule_keeps_the_folder_of_a_command(project: Project) -> None:
    line = "cd src && npm test"
    rule = narrowest_rule(project.bash(line), RuleBook("", (), default_guard_rails()), NOW)
    assert rule is not None
    assert decision(project.bash(line), rule) is ALLOW
    assert decision(project.bash("npm test"), rule) is ASK


def test_deny_wins_over_ask_and_ask_over_allow(project: Project) -> None:
    allows = allow(project, commands=("git ...",))
    asks = Rule("asks", ASK, commands=("git commit ...",))
    denies = Rule("denies", DENY, commands=("git commit --no-verify ...",))
    rules = (allows, asks, denies)
    assert judged(project.bash("git log"), *rules).rule == "allows"
    assert judged(project.bash("git commit -m x"), *rules).rule == "asks"
    assert judged(project.bash("ls; git -C x commit -q --no-verify"), *rules).rule == "denies"
    assert judged(project.bash("git commit '--no-verify' $x"), *rules).decision is DENY


def test_a_rule_holds_where_it_says_and_as_long_as_it_says(project: Project) -> None:
    call = project.bash("npm test")
    rule = allow(project, commands=("npm test",))
    assert decision(call, replace(rule, adapter="codex")) is ASK
    assert decision(call, replace(rule, tool="exec_command")) is ASK
    assert decision(call, replace(rule, folder=str(project.folder / "src"))) is ASK
    assert decision(call, replace(rule, folder=str(project.folder.parent))) is ALLOW
    assert decision(call, replace(rule, folder="~/shop")) is ALLOW
    assert decision(call, replace(rule, folder=f"{project.folder}2")) is ASK
    assert decision(call, replace(rule, expires=NOW)) is ASK


def test_questions_plans_dialogs_and_cut_calls_are_never_answered(project: Project) -> None:
    call = project.bash("npm test")
    rule = allow(project, commands=("npm test",))
    deny = Rule("denies", DENY)

    def again(**changes: Any) -> ToolCall:
        return read_call(replace(call.form, **changes), "claude", str(project.folder))

    for kind in Kind:
        expected = ALLOW if kind is Kind.PERMISSION else ASK
        assert decision(again(kind=kind), rule) is expected
        assert (decision(again(kind=kind), deny) is DENY) is (kind is Kind.PERMISSION)
    assert decision(again(dialog="folder-trust"), rule, deny) is ASK
    assert decision(again(truncated=True), rule) is ASK
    assert decision(again(rewrapped=True), rule) is ASK
    assert decision(again(tool_name=None), rule) is ASK
    always = (Option("always", "Always", Effect.ALLOW_ALWAYS),)
    assert decision(again(options=always), rule) is ASK


def test_an_input_that_may_change_the_command_is_asked(project: Project) -> None:
    rule = allow(project, commands=("npm test",))
    assert decision(project.bash("npm test", description="Tests", timeout=5), rule) is ALLOW
    assert decision(project.bash("npm test", run_in_background=False), rule) is ALLOW
    for extra in ({"run_in_background": True}, {"sandbox": "off"}, {"cmd": "rm -rf /"}):
        assert decision(project.bash("npm test", **extra), rule) is ASK


def test_files_inside_and_outside_the_project(project: Project) -> None:
    inside = allow(project, tool="Write", files=("inside",))
    only = allow(project, tool="Write", files=("src/**",))
    outside = Rule("outside", DENY, tool="Write", files=("outside",))
    (project.folder / "link").symlink_to("/etc")
    for path, expected in (
        ("a.py", (ALLOW, ASK)),
        (f"{project.folder}/src/a.py", (ALLOW, ALLOW)),
        ("src/../a.py", (ALLOW, ASK)),
        ("../a.py", (ASK, ASK)),
        ("/etc/a", (ASK, ASK)),
        ("link/a", (ASK, ASK)),
        (".git/hooks/pre-commit", (ASK, ASK)),
        (".env", (ASK, ASK)),
        ("src/id_rsa", (ASK, ASK)),
        ("src/a\u202e.py", (ASK, ASK)),
    ):
        call = project.tool("Write", file_path=path, content="x")
        assert (decision(call, inside), decision(call, only)) == expected, path
    assert decision(project.tool("Write", file_path="../a", content=""), outside) is DENY
    assert decision(project.tool("Write", file_path="a", content=""), outside, inside) is ALLOW
    assert decision(project.tool("Write", content="x"), inside) is ASK
    patch = project.tool("Write", changes=[{"path": "a", "diff": ""}, {"path": "/etc/b"}])
    assert decision(patch, inside) is ASK
    for given in (
        {"changes": {"/etc/b": {"delete": {}}}},
        {"files": [{"path": "/etc/b"}]},
        {"file": {"path": "/etc/b"}},
        {"patch": "*** Begin Patch\n*** Update File: /etc/b\n"},
        {"pattern": "{/etc/*,a}"},
    ):
        assert decision(project.tool("Write", file_path="a", **given), inside) is ASK, given
    shell = project.tool("Write", command=["rm", "-r", "src"], workdir=str(project.folder))
    assert decision(shell, inside) is ASK


@pytest.mark.parametrize(
    "name", ["mcp__github__get_issue", "mcp_github_get_issue", "github.get_issue"]
)
def test_a_tool_of_an_mcp_server_is_known_in_every_clis_words(project: Project, name: str) -> None:
    call = project.tool(name, number=7)
    assert decision(call, allow(project, server="github", tool="get_issue")) is ALLOW
    assert decision(call, allow(project, server="github", tool=None)) is ALLOW
    assert decision(call, allow(project, server="gitlab", tool="get_issue")) is ASK
    assert decision(call, allow(project, server="github", tool="close_issue")) is ASK
    assert decision(call, allow(project, tool=name, input={"number": 7})) is ALLOW
    assert decision(call, allow(project, tool=name, input={"number": 8})) is ASK


def test_a_tool_of_a_server_is_no_shell(project: Project) -> None:
    call = project.tool("mcp__evil__Bash", command="npm test")
    assert decision(call, allow(project, commands=("npm test",), tool="mcp__evil__Bash")) is ASK


def test_rules_that_cannot_be_read_allow_nothing_and_still_deny(project: Project) -> None:
    rule, deny = allow(project, commands=("ls",)), Rule("denies", DENY, commands=("rm ...",))
    assert judged(project.bash("ls"), rule, deny, problem="bad").decision is ASK
    assert judged(project.bash("rm x"), rule, deny, problem="bad").decision is DENY


@pytest.mark.parametrize(
    "fields",
    [
        {"commands": ("ls $HOME",)},
        {"commands": ("...",)},
        {"commands": ("ls *.py",)},
        {"commands": ("ls ... -la",)},
        {"commands": ("ls; A=1",)},
        {"commands": ("sh -c ls $x",)},
        {"commands": ("ls 'x",)},
        {"commands": ("",)},
        {"name": "no blanks", "commands": ("ls",)},
        {"folder": "shop", "commands": ("ls",)},
        {"folder": None, "commands": ("ls",)},
        {"tool": None, "commands": ("ls",)},
        {},
    ],
)
def test_a_rule_that_allows_must_say_exactly_what(project: Project, fields: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        allow(project, **fields)
    assert caught.value.code == "bad_rule"


@pytest.mark.parametrize(
    "line",
    ["npm test", "git commit -m 'fix: a (b)'", "cat 'a b'", "npm test > log 2>&1", "echo '*'"],
)
def test_the_narrowest_rule_allows_this_call_and_no_wider_one(project: Project, line: str) -> None:
    rule = narrowest_rule(project.bash(line), RuleBook("", (), default_guard_rails()), NOW)
    assert rule is not None
    assert decision(project.bash(line), rule) is ALLOW
    for wider in (f"{line} x", f"{line}; ls", f"x {line}", "npm run evil"):
        assert decision(project.bash(wider), rule) is ASK
    assert (rule.tool, rule.folder, rule.adapter) == ("Bash", str(project.folder), "claude")
    assert rule.expires == NOW + timedelta(days=30)


@pytest.mark.parametrize("line", ["ls $x", "rm -rf /", "cat .env", "curl x | sh", "ls ..."])
def test_no_rule_is_offered_for_what_none_may_allow(project: Project, line: str) -> None:
    book = RuleBook("", (), default_guard_rails())
    assert narrowest_rule(project.bash(line), book, NOW) is None


def test_a_file_and_a_tool_get_a_narrow_rule_too(project: Project) -> None:
    book = RuleBook("", (), default_guard_rails())
    write = project.tool("Write", file_path="src/a.py", content="x")
    rule = narrowest_rule(write, book, NOW, ["Write-a-py-in-shop"])
    assert rule is not None
    assert (rule.files, rule.name) == (("src/a.py",), "Write-a-py-in-shop-2")
    assert decision(project.tool("Write", file_path="src/b.py"), rule) is ASK
    fetch = project.tool("WebFetch", url="https://example.org", prompt="read")
    rule = narrowest_rule(fetch, book, NOW)
    assert rule is not None
    assert decision(project.tool("WebFetch", url="https://evil.org", prompt="read"), rule) is ASK


@pytest.mark.parametrize("path", ["inside", "outside", "src/*.py", "src/a?.py", "**/a.py"])
def test_no_rule_is_offered_for_a_file_whose_name_stands_for_others(
    project: Project, path: str
) -> None:
    call = project.tool("Write", file_path=path, content="x")
    assert narrowest_rule(call, RuleBook("", (), default_guard_rails()), NOW) is None


def test_a_folder_is_not_all_that_an_offered_rule_says_of_a_tool(project: Project) -> None:
    book = RuleBook("", (), default_guard_rails())
    call = project.tool("Agent", directory=str(project.folder), prompt="Count the files")
    rule = narrowest_rule(call, book, NOW)
    assert rule is not None
    assert decision(call, rule) is ALLOW
    other = project.tool("Agent", directory=str(project.folder), prompt="Push to main")
    assert decision(other, rule) is ASK


def test_no_rule_types_into_a_program_that_runs(project: Project) -> None:
    call = project.tool("write_stdin", input="git push --force")
    assert narrowest_rule(call, RuleBook("", (), default_guard_rails()), NOW) is None
    assert decision(call, allow(project, tool="write_stdin", input=dict(call.input))) is ASK


@pytest.mark.parametrize("pattern", ["sudo ...", "eval ...", "time ..."])
def test_a_rule_may_deny_whatever_a_program_runs(project: Project, pattern: str) -> None:
    rule = Rule("denies", DENY, commands=(pattern,))
    check_rule(rule)
    assert decision(project.bash(pattern.replace("...", "npm test")), rule) is DENY


@pytest.mark.parametrize("files", [(".git",), ("HEAD", "config", "objects", "refs"), ("HEAD",)])
def test_git_is_asked_where_it_obeys_a_repository_inside_the_project(
    project: Project, files: tuple[str, ...]
) -> None:
    rule = allow(project, commands=("git status", "cd *"))
    (project.folder / ".git").mkdir()
    below = project.folder / "src" / "deep"
    below.mkdir()
    for line in ("git status", "cd src && git status", "cd src/deep && git status"):
        assert decision(project.bash(line), rule) is ALLOW
    for name in files:
        (project.folder / "src" / name).touch()
    assert decision(project.bash("git status"), rule) is ALLOW
    for line in ("cd src && git status", "cd src/deep && git status"):
        judgement = judged(project.bash(line), rule)
        assert judgement.decision is ASK
        assert "a repository inside the project" in judgement.reasons[0]


def test_git_is_asked_in_a_session_below_its_repository_that_looks_like_another(
    project: Project,
) -> None:
    rule = allow(project, commands=("git status",))
    assert decision(project.bash("git status"), rule) is ALLOW
    (project.folder / "HEAD").touch()
    assert decision(project.bash("git status"), rule) is ASK


def test_a_command_for_powershell_is_asked(project: Project) -> None:
    # Bash reads one word; PowerShell ends it at the second quote, and runs id.
    call = project.tool("PowerShell", command='ls "a\\";id;#"')
    assert decision(call, allow(project, tool="PowerShell", commands=("ls *",))) is ASK
    assert narrowest_rule(call, RuleBook("", (), default_guard_rails()), NOW) is None
