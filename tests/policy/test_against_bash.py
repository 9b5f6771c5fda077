"""Two thousand generated lines: what rules think runs is what a real Bash runs."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from clawtap_core.commands import Script, parse
from clawtap_core.rules.doubts import script_doubts

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash"),
]
LINES = 2_000
PROGRAMS = ("p", "q", "fails", "env", "nice", "npm")
BUILTINS = ("echo", "true", "printf", "test", "cd", "command", "exec", "eval", "!", "time")
WORDS = (
    *("a", "b.txt", "-n", "--long=x", "a=b", "x:y", "@f", "+1", "%s", "0", "src", "end"),
    *("'a b'", '"a b"', "a\\ b", "'a'\"b\"c", "''", '""', "\\'", '"\\""', "$'a\\tb'", "$'\\x41'"),
    *("'$V'", '"$V"', "$V", "${V:-a}", "${V}", "$(p a)", "`p a`", '"$(p a)"', "<(p a)", "$((1+1))"),
    *("*", "?", "[ab]", "{a,b}", "{1..3}", "~", "~+", "#a", "a#b", "!", "!!", "\\\n", "\\a"),
    *(
        "''$\"a\"",
        'a$"b"',
        "a$'b'",
        "a$",
        "$",
        '"$"',
        "a\\'b",
        '"a\\`b"',
        "a''",
        "'a'\\''b'",
        "&1",
        "1>&2",
        "x=~/y",
        "x=a:~",
    ),
    *("a;b", "a&b", "'a;b'", "a|b", "\u00e9", "\u200b", "a\u00a0b", "=p", "[", "]", "((", "))"),
)
OPERATORS = (" && ", " || ", "; ", " | ", "\n", " |& ", " & ", "&&", ";", "|", " ;; ", "\r\n")
REDIRECTIONS = ("> out", ">>out", "2>&1", "> 'o p'", "< src", "<<< a", ">| out", "&> out", "3>out")
MUTATIONS = tuple(";&|<>(){}'\"\\$`!#*?[]~ \t\n=^%@,")


def generated(random_: random.Random) -> Iterator[str]:
    """Lines such as people write, most of them with a few characters too many or too few."""
    for _ in range(LINES):
        line = _command(random_)
        for _ in range(random_.choice((0, 0, 1, 2))):
            line += random_.choice(OPERATORS) + _command(random_)
        for _ in range(random_.choice((0, 0, 0, 1, 1, 2, 3))):
            at = random_.randrange(len(line) + 1)
            cut = random_.choice((0, 0, 1))
            line = line[:at] + random_.choice(MUTATIONS) + line[at + cut :]
        yield line


def _command(random_: random.Random) -> str:
    plain = random_.random() < 0.6
    words = [random_.choice(PROGRAMS if random_.random() < 0.8 else BUILTINS)]
    for _ in range(random_.randrange(4)):
        words.append(random_.choice(WORDS[:20] if plain else WORDS))
    if random_.random() < 0.25:
        words.append(random_.choice(REDIRECTIONS))
    if random_.random() < 0.05:
        words.insert(0, random_.choice(("V=a", "(", "{", "if", "time", "!", "V=a;")))
    return " ".join(words)


class Bash:
    """A Bash that finds no program but those that write down how they were called."""

    def __init__(self, folder: Path) -> None:
        self.work, self.programs, self.log = folder / "work", folder / "bin", folder / "log"
        self.bash = str(shutil.which("bash"))
        self.programs.mkdir()
        for name in PROGRAMS:
            program = self.programs / name
            status = 1 if name == "fails" else 0
            program.write_text(
                f"#!/bin/sh\nprintf '%s\\0' \"$#\" {name} \"$@\" >> '{self.log}'\nexit {status}\n"
            )
            program.chmod(0o755)

    def run(self, line: str) -> tuple[list[tuple[str, ...]], set[str]]:
        """Return the calls that a line made, and the files that it wrote."""
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "src").mkdir(parents=True)
        self.log.write_bytes(b"")
        env = {"PATH": str(self.programs), "HOME": str(self.work), "V": "v w"}
        subprocess.run(
            [self.bash, "--noprofile", "--norc", "-c", line],
            cwd=self.work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        fields = iter(self.log.read_bytes().decode("utf-8", "replace").split("\0")[:-1])
        calls = [tuple(next(fields) for _ in range(int(count) + 1)) for count in fields]
        return calls, {each.name for each in self.work.iterdir()} - {"src"}


def expected(script: Script) -> tuple[Counter[tuple[str, ...]], set[str]]:
    """Return the calls and the written files of a line, as rules read it."""
    calls = Counter(
        (each.program, *(word.text for word in each.arguments)) for each in script.commands
    )
    written = {
        redirection.target.text for each in script.commands for redirection in each.redirections
    }
    return calls, written


def test_what_is_not_doubted_runs_as_it_was_read(tmp_path: Path) -> None:
    bash, followed = Bash(tmp_path), 0
    for line in dict.fromkeys(generated(random.Random(106))):
        script = parse(line, str(bash.work))
        if "\0" in line or next(script_doubts(script, line), None):
            continue
        followed += 1
        calls, files = bash.run(line)
        read, written = expected(script)
        assert not Counter(calls) - read, (line, calls, read)
        assert files <= written, (line, files, written)
    assert followed > 300
