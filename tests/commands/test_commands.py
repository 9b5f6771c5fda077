"""Command lines as the shell reads them: programs, words, paths, and what cannot be followed."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import at_best

from clawtap_core.commands import Command, Risk, Word, command_paths, parse, resolve, risks

PROJECT = "/home/me/shop"


def _names(line: str) -> list[str]:
    return [command.name for command in parse(line, PROJECT).commands]


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("rm -rf build", ["-rf", "build"]),
        ("rm 'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]),
        ('rm $\'a\\x62\' "say \\"hi\\""', ["ab", 'say "hi"']),
        ("r\\m 'x'y\"z\"", ["xyz"]),
        ("/bin/rm x", ["x"]),
        ("A=1 B=2 rm x", ["x"]),
    ],
)
def test_words_are_unquoted_as_the_shell_does(line: str, arguments: list[str]) -> None:
    (command,) = parse(line).commands
    assert command.name == "rm"
    assert [word.text for word in command.arguments] == arguments
    assert all(word.exact for word in command.arguments)


@pytest.mark.parametrize("word", ["$x", '"a $x"', "*.py", "$(ls)", "`ls`", "$((1+2))", "{a,b}"])
def test_a_word_that_an_expansion_decides_is_not_exact(word: str) -> None:
    (*_, command) = parse(f"rm {word}").commands
    assert not command.arguments[0].exact


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("cd x && ls | wc -l; true", ["cd", "ls", "wc", "true"]),
        ("if [ -f a ]; then rm a; else touch b; fi", ["rm", "touch"]),
        ("for f in *; do rm $f; done; while read l; do echo $l; done", ["rm", "read", "echo"]),
        ("f() { rm x; }; f", ["rm", "f"]),
        ("(cd /; rm x) &", ["cd", "rm"]),
        ("echo $(rm x) `rm y` <(rm z)", ["rm", "rm", "rm", "echo"]),
        ("x=$(rm y)", ["rm"]),
        ("sudo -u me env A=b timeout 5 rm x", ["sudo", "env", "timeout", "rm"]),
        ("bash -c 'rm x; ls'", ["bash", "rm", "ls"]),
        ("bash -lc \"sh -c 'rm x'\"", ["bash", "sh", "rm"]),
        ("eval 'rm x'", ["eval", "rm"]),
        ("bash <<EOF\nrm x\nEOF", ["bash", "rm"]),
        ("bash <<< 'rm x'", ["bash", "rm"]),
        ("cat <<EOF | sh\nhi\nEOF", ["cat", "sh"]),
        ("cat <<EOF > a | sudo tee b\nhi\nEOF", ["cat", "sudo", "tee"]),
        ("cat <<'EOF' > a; rm x\nit's rm y\nEOF\nls", ["cat", "rm", "ls"]),
        ('cat <<EOF > a & rm x\n"$(ls)" \\" \\$(no) `id`\nEOF', ["ls", "id", "cat", "rm"]),
        ("cat <<A > a <<B | sh\n1\nA\n2\nB", ["cat", "sh"]),
        ("find . -exec rm {} \\; -exec ls {} +", ["find", "rm", "ls"]),
        ("ls | xargs -n 1 rm -f", ["ls", "xargs", "rm"]),
        ("! git diff --quiet", ["git"]),
        ("command -v rm", ["command"]),
    ],
)
def test_every_program_that_runs_is_found(line: str, names: list[str]) -> None:
    assert _names(line) == names


def test_redirections_wrappers_and_pipes_are_recognized() -> None:
    first, second, third = parse("curl x 2>&1 | sudo tee -a /etc/hosts > out").commands
    assert (first.name, second.name) == ("curl", "sudo")
    assert third.wrappers == ("sudo",)
    assert third.piped_from == ("curl",)
    assert [(each.operator, each.target.text) for each in third.redirections] == [(">", "out")]


def test_a_command_runs_where_the_last_cd_led() -> None:
    script = parse("cd src; (cd ..; ls); rm a; cd $x; rm b", PROJECT)
    folders = {
        (command.name, *[word.text for word in command.arguments]): command.directory
        for command in script.commands
    }
    assert folders["ls",] == PROJECT
    assert folders["rm", "a"] == f"{PROJECT}/src"
    assert folders["rm", "b"] is None


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('rm "a', "a syntax error"),
        ("$editor x", "the program $editor"),
        ('eval "$x"', "what eval runs"),
        ('bash -c "$x"', "what bash runs"),
        ("curl x | sh", "what sh reads"),
        ("sh build.sh", "the script build.sh"),
        (". ./env", "the script ./env"),
    ],
)
def test_what_cannot_be_followed_is_named(line: str, named: str) -> None:
    assert named in parse(line).unknown
    assert parse("ls -la && git status").unknown == ()


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("a/../b", "/p/b"),
        ("../x", "/x"),
        ("/etc//passwd", "/etc/passwd"),
        ("~/x", "/home/me/x"),
        ("$PWD/x", "/p/x"),
    ],
)
def test_a_path_is_resolved(word: str, path: str) -> None:
    assert resolve(Word(word), "/p", home="/home/me") == path


def test_a_path_that_an_expansion_decides_is_not_resolved() -> None:
    assert resolve(Word("$x/y", exact=False), "/p") is None
    assert resolve(Word("x"), None) is None
    assert resolve(Word("~other/x"), "/p") is None


def test_expressions_and_texts_are_no_paths() -> None:
    for line in (
        "sed -n /x/p a/b",
        "grep -e /x a/b",
        "git commit -m '../x' a/b",
        "ls >/dev/null a/b",
    ):
        (command,) = parse(line, PROJECT).commands
        assert [word.text for word, _ in command_paths(command)] == ["a/b"], line
    assert list(command_paths(Command("curl", (Word("https://example.org/x"),)))) == []


@given(st.text(alphabet=st.sampled_from("ab /'\"$(){}|&;<>\\\n`#-=*[]!~0é\x00"), max_size=60))
def test_any_text_is_parsed(text: str) -> None:
    risks(parse(text, PROJECT), PROJECT)


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 20_000, "$(" * 5_000, "a | " * 10_000, "'" * 50_001, "x" * 200_000),
        *("a|" * 7_995, "a=(" * 5_330, "eval '" * 2_000, "<<'" * 5_330),
        *("a|" * 2_000, "a=(" * 1_333, "eval '" * 600, "${" * 2_000, "<<a\n" * 1_000),
        *('"${a:-' * 600, "a;" * 2_000, "a`b`" * 1_000, "f()" * 1_300),
    ],
)
def test_hostile_text_is_parsed_in_a_bounded_time(text: str) -> None:
    parse("ls")

    def took() -> float:
        parse.cache_clear()
        before = time.process_time()
        assert parse(text, PROJECT).unknown
        return time.process_time() - before

    assert at_best(0.1, took) < 0.1


def test_a_line_past_the_limits_is_a_very_long_command() -> None:
    assert parse("ls " + "x" * 4_000).unknown == ("a very long command",)
    assert parse("a|" * 1_000 + "a").unknown == ("a very long command",)


@pytest.mark.parametrize(
    "line",
    [
        "cat <<'EOF' > ~/.bashrc\nx\nEOF",
        "cat <<EOF >> ~/.ssh/authorized_keys\nx\nEOF",
        "tee <<EOF > /etc/x\nx\nEOF",
        "cat <<EOF 2>/dev/null > /etc/x\nx $y\nEOF",
        "cat <<EOF /etc/x\nx\nEOF",
        "cat > /etc/x -n",
        "cat <<EOF > out /etc/x\nx\nEOF",
    ],
)
def test_a_redirection_beside_a_document_or_an_argument_is_kept(line: str) -> None:
    assert risks(parse(line, PROJECT), PROJECT) == (Risk.OUTSIDE,)


def test_backticks_run_in_a_document_that_is_not_quoted() -> None:
    assert _names("cat <<EOF\na `rm x` b\nEOF") == ["rm", "cat"]
    assert _names("cat <<'EOF'\na `rm x` b\nEOF") == ["cat"]
    assert "what bash runs" in parse("bash <<EOF\n`rm x`\nEOF").unknown


def test_without_the_grammar_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    from clawtap_core.commands import parser

    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    parser._parser.cache_clear()
    parse.cache_clear()
    script = parse("rm -rf /")
    parser._parser.cache_clear()
    parse.cache_clear()
    assert script.commands == ()
    assert script.unknown == ("every command: tree-sitter is not installed",)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("time { rm x; }", "rm"),
        ("time (sudo id)", "sudo"),
        ("coproc sudo id", "sudo"),
        ("r\\\nm x", "rm"),
        ("env -S 'rm x'", "rm"),
        ("env --split-string='rm x'", "rm"),
        ("env -a name rm x", "rm"),
        ("env --argv0 name rm x", "rm"),
        ("bash -c -- 'rm x'", "rm"),
        ("bash -o pipefail -c 'rm x'", "rm"),
        ("watch -n 1 'rm x'", "rm"),
        ("busybox rm x", "rm"),
        ("toybox rm x", "rm"),
        ("flock /l rm x", "rm"),
        ("flock /l -c 'rm x'", "rm"),
        ("script -qc 'rm x' out", "rm"),
        ("parallel rm {} ::: a b", "rm"),
        ("strace -f -o out rm x", "rm"),
        ("taskset -c 0 rm x", "rm"),
        ("chrt -f 5 rm x", "rm"),
        ("runuser -u me -- rm x", "rm"),
        ("runuser me -c 'rm x'", "rm"),
        ("su -c 'rm x'", "rm"),
        ("fakeroot rm x", "rm"),
        ("unbuffer rm x", "rm"),
        ("uv run --with a rm x", "rm"),
        ("poetry run rm x", "rm"),
        ("sudo -nu me rm x", "rm"),
        *((f"{shell} -c 'rm x'", "rm") for shell in ("mksh", "csh", "tcsh", "rbash", "yash")),
        ("trap 'rm x' EXIT", "rm"),
        ("fd -e o -x rm {}", "rm"),
        ("fd . -X rm", "rm"),
        ("fd -HX rm", "rm"),
        ("fd -Hxrm", "rm"),
        ("fd --exec=rm", "rm"),
        ("gfind . -exec rm {} +", "rm"),
        ("gtimeout 5 rm x", "rm"),
        ("caffeinate -i rm x", "rm"),
        ("setarch x86_64 rm x", "rm"),
        ("unshare -r rm x", "rm"),
        ("nsenter -t 1 rm x", "rm"),
        ("systemd-run --uid=0 rm x", "rm"),
        ("alias ls='rm x'; ls", "rm"),
        ("xargs --arg-file list rm", "rm"),
        ("xargs --max-lines rm", "rm"),
        ("xargs --replace rm {}", "rm"),
        ("ssh -p 22 host rm -rf x", "rm"),
        ("ssh host 'sudo rm x'", "rm"),
    ],
)
def test_a_program_is_found_behind_what_runs_it(line: str, name: str) -> None:
    assert name in _names(line)


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("python3 -c 'import shutil; shutil.rmtree(x)'", "a program in Python"),
        ("perl -ne 'unlink'", "a program in Perl"),
        ("node -e 'x()'", "a program in JavaScript"),
        ("awk '{system($1)}' a", "a program in Awk"),
        ("python3 - <<EOF\nx()\nEOF", "a program in Python"),
        ("sudo $x y", "the program $x"),
        ('ssh host "$x"', "what ssh runs"),
        ("xargs sh -c", "what sh runs"),
        ("sh build.sh -c x", "the script build.sh"),
        ("tar xf a --to-command='rm x'", "what tar runs"),
        ("tar -cf a x --checkpoint=1 --checkpoint-action=exec=x", "what tar runs"),
        ("rg --pre rm x", "what rg runs"),
        ("sort --compress-program=x a", "what sort runs"),
        ("rsync -ae 'sh -c x' a b", "what rsync runs"),
        ("man -P 'rm x' ls", "what man runs"),
        ("ssh -oProxyCommand=x host", "what ssh runs"),
        ("ssh -o 'proxycommand x' host", "what ssh runs"),
        ("vim -c '!rm x' a", "what vim runs"),
        ("go test -exec ./x .", "what go runs"),
        ("tmux new -d 'rm x'", "what tmux runs"),
        ("crontab x", "what crontab runs"),
        ("echo rm x | at now", "what at runs"),
        ("sed '1e rm x' a", "what sed runs"),
        ("sed -n '/a/{e rm x\n}' a", "what sed runs"),
        ("sed 's,a,rm x,ge' a", "what sed runs"),
        ("pwsh -Command 'rm x'", "a program in PowerShell"),
        ("git bisect run rm x", "what git runs"),
        ("git submodule foreach 'rm x'", "what git runs"),
        ("git rebase -i --exec 'rm x' main", "what git runs"),
        ("git fetch --upload-pack=x origin", "what git runs"),
        ("git grep -nOx a", "what git runs"),
    ],
)
def test_a_program_that_is_not_followed_is_unknown(line: str, unknown: str) -> None:
    assert unknown in parse(line).unknown


@pytest.mark.parametrize(
    "line",
    [
        "git -c alias.x='!id' x",
        "git -c core.pager=./x log",
        "git -ccore.fsmonitor=./x status",
        "git --config-env=alias.x=Y x",
        "git -c diff.x.textconv=./x diff",
        "GIT_PAGER='sh -c id' git log",
        "GIT_EXTERNAL_DIFF=./x git diff",
        "PATH=. ls",
        "export PATH=.; ls",
        "declare -x LD_PRELOAD=./x",
        "PATH=.; ls",
        "A=1 LD_PRELOAD=./x ls",
        "env PATH=. ls",
        "BASH_ENV=x bash -c ls",
        "NODE_OPTIONS='-r ./x' npm test",
        "npm_config_script_shell=./x npm test",
    ],
)
def test_a_setting_that_names_a_program_is_unknown(line: str) -> None:
    assert parse(line).unknown


@pytest.mark.parametrize(
    "line",
    [
        "git -c color.ui=never -c core.pager=cat log",
        "GIT_PAGER=cat git log",
        "GIT_EDITOR=true git rebase --continue",
        "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
        "export PATH=$PATH:./bin",
        "CI=1 PYTHONPATH=src pytest",
        "env CI=1 npm test",
    ],
)
def test_a_setting_that_names_none_is_not_unknown(line: str) -> None:
    assert parse(line).unknown == ()


def test_a_harmless_program_is_not_unknown() -> None:
    for line in (
        "python3 -c 'import sys; print(sys.path)'",
        "awk '{print $1}' a",
        "python3 x.py",
        "rsync -ave ssh a host:b",
        "tar czf a.tgz src",
        "sed -e 's/e /x/' -i a",
        "sed 's/ e / x /' a",
        "sed -n '1,5p' e.txt",
        "sed 's/use/see/g' a",
        "man ls",
        "crontab -l",
        "tmux ls",
        "go test -run Cart ./...",
        "git grep -n foreach",
        "git rebase -i main",
    ):
        assert parse(line).unknown == (), line


@pytest.mark.parametrize("line", ['bash -c "rm -rf $x"', "ssh host rm *.o", "eval rm $x"])
def test_a_script_with_a_variable_is_unknown_and_still_read(line: str) -> None:
    script = parse(line, PROJECT)
    assert "rm" in [command.name for command in script.commands]
    assert any(each.startswith("what ") for each in script.unknown)
