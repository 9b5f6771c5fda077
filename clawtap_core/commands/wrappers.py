"""Programs that run another one, named among their arguments: sudo, env, xargs, find -exec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from clawtap_core.commands.values import Command, Word

SHELLS = frozenset(
    (
        *("sh", "bash", "zsh", "dash", "ksh", "ash", "fish"),
        *("mksh", "csh", "tcsh", "rbash", "yash"),
    )
)
_INTERPRETER_VALUES = "-W -X -I -r --require --import"
_SHELL_VALUES = "-o -O +o +O --rcfile --init-file"
# Each with its options that take a value, and how many operands are before the program.
_WRAPPERS: Mapping[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -T -R -D -r -t -U --user --group --host --prompt --chdir", 0),
    "doas": ("-u -C", 0),
    "pkexec": ("--user", 0),
    "env": ("-u -C -S -a --unset --chdir --split-string --argv0", 0),
    "nohup": ("", 0),
    "setsid": ("", 0),
    "builtin": ("", 0),
    "command": ("", 0),
    "exec": ("-a", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p", 0),
    "stdbuf": ("-i -o -e", 0),
    "time": ("-f -o", 0),
    "timeout": ("-s -k --signal --kill-after", 1),
    "gtimeout": ("-s -k --signal --kill-after", 1),
    "caffeinate": ("-t -w", 0),
    "setarch": ("", 1),
    "linux32": ("", 0),
    "linux64": ("", 0),
    "unshare": ("-S -G -R -w -l --root --wd --setuid --setgid --load-interp", 0),
    "nsenter": ("-t -S -G --target --setuid --setgid", 0),
    "systemd-run": ("-u -p -E -M -H --unit --property --setenv --slice --uid --gid", 0),
    "npx": ("-p --package", 0),
    "bunx": ("-p --package", 0),
    "pnpx": ("", 0),
    "coproc": ("", 0),
    "busybox": ("", 0),
    "toybox": ("", 0),
    "flock": ("-w -E -c --timeout --wait --conflict-exit-code --command", 1),
    "script": ("-c -I -O -B -E -m -o -T -t --command", 1),
    "strace": ("-a -b -e -E -I -o -O -p -P -s -S -u -U -X", 0),
    "ltrace": ("-a -e -l -n -o -p -s -u", 0),
    "taskset": ("", 1),
    "chrt": ("-T -P -D", 1),
    "chroot": ("", 1),
    "runuser": ("-u -g -G -c -s --user --group --command --shell", 0),
    "fakeroot": ("-l -s -i -b", 0),
    "unbuffer": ("", 0),
    "uv": ("--with -p --python --project --directory --extra --group --env-file --package", 1),
    "poetry": ("-C -P --directory --project", 1),
    "pipenv": ("", 1),
    "pdm": ("-p --project", 1),
    "bundle": ("", 1),
    "xargs": ("-a -d -E -I -L -n -P -s --arg-file --max-args --max-procs --delimiter", 0),
}
# They run a program only with this action.
_ACTIONS = {"uv": "run", "poetry": "run", "pipenv": "run", "pdm": "run", "bundle": "exec"}
# They pass the words after their options, and after this many operands, to a shell.
_JOINERS: Mapping[str, tuple[str, int]] = {
    "eval": ("", 0),
    "watch": ("-n -q --interval --equexit", 0),
    "parallel": ("-j -a -S -N -I --jobs --arg-file --colsep --joblog --results --delay", 0),
    "ssh": ("-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", 1),
}
_SCRIPT_OPTIONS: Mapping[str, tuple[str, str]] = {
    "env": ("S", "--split-string"),
    "flock": ("c", "--command"),
    "script": ("c", "--command"),
    "su": ("c", "--command"),
    "runuser": ("c", "--command"),
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# Where the program begins, at times in the same word: find -exec rm, fd -HX rm, fd -xrm.
_OF_FIND = re.compile(r"-(?:exec|ok)(?:dir)?()")
_OF_FD = re.compile(r"-[HIuLpagFils0-9]*[xX](.*)|--exec(?:-batch)?(?:=(.*))?")
_EXEC = {"find": _OF_FIND, "gfind": _OF_FIND, "fd": _OF_FD, "fdfind": _OF_FD}
_MOST = 8


def unwrap(command: Command) -> Iterator[Command]:
    """Yield a command and, from the outside in, those that it runs by their names."""
    for _ in range(_MOST):
        yield command
        if command.name in _EXEC:
            yield from _find_commands(command)
            return
        inner = _inner(command)
        if inner is None:
            return
        command = inner


def runs_stdin(command: Command) -> bool:
    """Return whether a shell or an interpreter runs what it reads from standard input."""
    if any(word.text in ("-", "-s", "/dev/stdin") for word in command.arguments):
        return True
    if command.name in SHELLS:
        return not operands(command.arguments, _SHELL_VALUES)
    # python -m: the program is named there.
    if has_code(command) or any(word.text.startswith("-m") for word in command.arguments):
        return False
    rest = operands(command.arguments, _INTERPRETER_VALUES)
    return not [word for word in rest if word.text != "run"]


def has_code(command: Command) -> bool:
    """Return whether an option of an interpreter holds a program: python -c, perl -e, node -p."""
    rest = operands(command.arguments, _INTERPRETER_VALUES)
    if command.name in ("deno", "bun") and [word.text for word in rest[:1]] == ["eval"]:
        return True
    in_python = command.name.startswith(("python", "pypy"))
    flag = r"-[A-Za-z]*c" if in_python else r"-\w*[eEpr]|--eval|--print"
    if command.name in ("pwsh", "powershell"):
        flag = r"(?i)-c|-e"
    options = command.arguments[: len(command.arguments) - len(rest)]
    return any(re.match(flag, word.text) for word in options)


def operands(words: Iterable[Word], with_value: str = "") -> list[Word]:
    """Skip the options; `with_value` names those that take the next word."""
    rest, valued = list(words), with_value.split()
    while rest:
        text = rest[0].text
        if text == "--":
            return rest[1:]
        if not text.startswith(("-", "+")) or len(text) == 1:
            break
        rest = rest[2 if _takes_next(text, valued) else 1 :]
    return rest


def shell_script(command: Command) -> Word | None:
    """Return the text that a program gives to a shell, as `sh -c`, `watch` and `ssh` do."""
    words = list(command.arguments)
    if command.name in _JOINERS:
        with_value, skipped = _JOINERS[command.name]
        joined = operands(words, with_value)[skipped:]
        if command.name == "parallel":
            ends = [at for at, word in enumerate(joined) if re.match(r":::", word.text)]
            joined = joined[: ends[0]] if ends else joined
            # "{}" stands for each argument: it is no glob.
            joined = [replace(word, exact=word.exact or word.text == "{}") for word in joined]
        return _join(joined)
    if command.name == "alias":
        values = [word.text.partition("=")[2] for word in words]
        return Word("\n".join(values), all(word.exact for word in words)) if any(values) else None
    if command.name == "trap":
        action = operands(words)[:1]
        return action[0] if action and action[0].text != "-" else None
    if command.name in _SCRIPT_OPTIONS:
        letter, option = _SCRIPT_OPTIONS[command.name]
        return _option_value(words, letter, option, rest=command.name == "env")
    return None


def shell_words(command: Command) -> tuple[bool, list[Word]]:
    """Return whether a shell is called with -c, and its words after the options."""
    rest = operands(command.arguments, _SHELL_VALUES)
    options = command.arguments[: len(command.arguments) - len(rest)]
    texts = [word.text for word in options]
    flagged = any(re.match(r"-\w*c", text) or text == "--command" for text in texts)
    return flagged, rest


def _option_value(words: list[Word], letter: str, option: str, *, rest: bool) -> Word | None:
    for at, word in enumerate(words):
        short = re.fullmatch(rf"-[A-Za-z]*?{letter}(.*)", word.text, re.DOTALL)
        long = re.fullmatch(rf"{option}(?:=(.*))?", word.text, re.DOTALL)
        if match := short or long:
            values = [Word(match[1], word.exact)] if match[1] else []
            values += words[at + 1 :]
            return _join(values if rest else values[:1])
        if rest and not word.text.startswith("-") and not _ASSIGNMENT.match(word.text):
            return None
    return None


def _join(words: list[Word]) -> Word | None:
    if not words:
        return None
    return Word(" ".join(word.text for word in words), all(word.exact for word in words))


def _takes_next(text: str, valued: list[str]) -> bool:
    if text in valued or text.startswith("--"):
        return text in valued
    # In "-nu me" the last letter takes the next word; in "-ume" the value is there.
    letters = [at for at, letter in enumerate(text) if at and f"-{letter}" in valued]
    return bool(letters) and letters[0] == len(text) - 1


def _inner(command: Command) -> Command | None:
    if command.name not in _WRAPPERS or shell_script(command) is not None:
        return None
    with_value, skipped = _WRAPPERS[command.name]
    words = list(command.arguments)
    if command.name == "command" and words and words[0].text in ("-v", "-V"):
        return None
    if command.name == "runuser" and not any(re.match("-u|--user", word.text) for word in words):
        return None
    words = operands(words, with_value)
    if command.name in _ACTIONS and [word.text for word in words[:1]] != [_ACTIONS[command.name]]:
        return None
    if command.name in ("time", "coproc"):
        # A group after these reserved words: the grammar takes it for arguments.
        if command.name == "coproc" and [word.text for word in words[1:2]] == ["{"]:
            words = words[1:]
        while words and words[0].text in ("{", "!"):
            words = words[1:]
    words = words[skipped:]
    words = operands(words, with_value) if command.name in ("uv", "env") else words
    while words and _ASSIGNMENT.match(words[0].text):
        words = words[1:]
    return _run_by(command, words)


def _find_commands(command: Command) -> Iterator[Command]:
    words: list[Word] | None = None
    for word in command.arguments:
        if words is None:
            if match := _EXEC[command.name].fullmatch(word.text):
                attached = match[match.lastindex or 1]
                words = [replace(word, text=attached)] if attached else []
        elif word.text in (";", "+"):
            if inner := _run_by(command, words):
                yield from unwrap(inner)
            words = None
        else:
            words.append(word)
    if words and (inner := _run_by(command, words)):
        yield from unwrap(inner)


def _run_by(command: Command, words: list[Word]) -> Command | None:
    if not words:
        return None
    wrappers = (*command.wrappers, command.name)
    return replace(command, program=words[0].text, arguments=tuple(words[1:]), wrappers=wrappers)
