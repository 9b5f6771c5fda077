"""What a command does that is worth a second look. A mark is a hint, never a decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import PurePosixPath

from clawtap_core.commands.interpreters import language
from clawtap_core.commands.paths import command_paths
from clawtap_core.commands.values import Command, Script
from clawtap_core.commands.wrappers import SHELLS, has_code, operands, runs_stdin, shell_words

_AS_ROOT = frozenset(
    (
        *("sudo", "sudo-rs", "sudoedit", "doas", "su", "su-exec", "gosu", "pkexec", "run0"),
        *("runuser", "dzdo", "pfexec", "gksu", "gksudo", "kdesu", "kdesudo"),
    )
)
_DELETERS = frozenset(
    (
        *("rm", "rmdir", "unlink", "shred", "srm", "wipefs", "mkfs", "trash", "trash-put"),
        *("rimraf", "trash-empty", "trash-rm", "dropdb", "userdel"),
    )
)
# What programs delete elsewhere, by one of their first words.
_DELETING_ACTIONS = {
    **dict.fromkeys(("gh", "glab", "kubectl", "oc"), ("delete",)),
    **dict.fromkeys(("docker", "podman", "nerdctl"), ("rm", "rmi", "prune")),
    **dict.fromkeys(("terraform", "tofu", "pulumi"), ("destroy",)),
    **dict.fromkeys(("aws", "gsutil"), ("rm", "rb")),
    "helm": ("uninstall", "delete"),
    "rclone": ("delete", "deletefile", "purge", "rmdir", "rmdirs", "sync"),
    "gio": ("trash", "remove"),
}
_DOWNLOADERS = frozenset(
    (
        *("curl", "wget", "fetch", "http", "https", "xh", "aria2c", "axel", "lynx", "w3m"),
        *("nc", "ncat", "netcat", "socat"),
    )
)
# They run what comes in, though they are no shells.
_RUN_INPUT = frozenset(("parallel", "at", "batch", "crontab", "ssh", "psql", "mysql", "sqlite3"))
_GIT_VALUES = frozenset(
    (
        *("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"),
        *("--config-env", "--attr-source", "--super-prefix"),
    )
)
# What each action of git throws away with: long options, also cut short, and letters.
_GIT_DELETES = {
    "branch": (("--delete",), "dD"),
    "checkout": (("--force", "--ours", "--theirs"), "f"),
    "gc": (("--prune",), ""),
    "push": (("--delete", "--prune"), "d"),
    "reset": (("--hard", "--merge"), ""),
    "switch": (("--force", "--discard-changes"), "f"),
    "tag": (("--delete",), "d"),
    "update-ref": ((), "d"),
    "worktree": (("--force",), "f"),
}


class Risk(str, Enum):
    """A mark on a command line."""

    ROOT = "root"
    DOWNLOAD = "download"
    FORCE_PUSH = "force_push"
    DELETE = "delete"
    OUTSIDE = "outside"


def risks(script: Script, project: str | None = None) -> tuple[Risk, ...]:
    """Return the marks of a command line that runs in a project's folder."""
    return tuple(
        risk
        for risk, applies in _MARKS.items()
        if any(applies(command, project) for command in script.commands)
        or (risk is Risk.DOWNLOAD and _runs_saved_download(script.commands))
    )


def _runs_as_root(command: Command, _project: str | None) -> bool:
    return command.name.lower() in _AS_ROOT


def _runs_download(command: Command, _project: str | None) -> bool:
    if command.name in ("eval", "source", "."):
        return any(_DOWNLOADERS.intersection(word.runs) for word in command.arguments)
    piped = bool(_DOWNLOADERS.intersection(command.piped_from))
    if command.name in _RUN_INPUT:
        return piped
    if piped and command.name in ("make", "gmake", "awk", "gawk", "mawk", "nawk"):
        return "-" in [word.text for word in command.arguments]
    if command.name not in SHELLS and language(command.name) is None:
        return False
    texts = (*command.arguments, *(each.target for each in command.redirections))
    if any(_DOWNLOADERS.intersection(word.runs) for word in texts):
        return True
    if piped and "xargs" in command.wrappers:
        # What comes in is the program, or a part of it.
        return has_code(command) or (command.name in SHELLS and shell_words(command)[0])
    return piped and runs_stdin(command)


def _runs_saved_download(commands: Sequence[Command]) -> bool:
    """Return whether a command runs what an earlier one saved: curl -o x URL; python x."""
    saved: set[str] = set()
    for command in commands:
        ran = [command.program] if "/" in command.program else []
        if command.name in SHELLS or language(command.name):
            ran += [word.text for word in operands(command.arguments)[:1]]
        if saved.intersection(map(_file_name, ran)):
            return True
        if command.name in _DOWNLOADERS:
            words = (*command.arguments, *(each.target for each in command.redirections))
            saved.update(_file_name(word.text.partition("?")[0]) for word in words)
    return False


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _force_pushes(command: Command, _project: str | None) -> bool:
    action, *rest = _git_words(command) or [""]
    if action not in ("push", "send-pack"):
        return False
    return _has_option(rest, ("--force", "--force-with-lease", "--mirror"), "f") or any(
        word.startswith("+") for word in rest
    )


def _deletes(command: Command, _project: str | None) -> bool:
    # Some disks do not tell upper from lower case: RM is rm.
    name, texts = command.name.lower(), [word.text for word in command.arguments]
    if name in _DELETERS or name.startswith("mkfs."):
        return True
    if name in ("find", "gfind"):
        return "-delete" in texts
    if name == "rsync":
        return any(text.startswith("--del") for text in texts)
    if words := _DELETING_ACTIONS.get(name):
        return any(text in words for text in texts[:3])
    action, *rest = _git_words(command) or [""]
    if _has_option(rest, *_GIT_DELETES.get(action, ((), ""))):
        return True
    if action == "stash":
        return bool({"drop", "clear"}.intersection(rest))
    if action == "reflog":
        return bool({"expire", "delete"}.intersection(rest))
    if action == "push":
        return any(word.startswith(":") for word in rest)
    if action == "checkout":
        return bool({"--", ".", "./", ":/"}.intersection(rest))
    if action == "restore":
        return not _has_option(rest, ("--staged",), "S") or _has_option(rest, ("--worktree",), "W")
    return action in ("clean", "rm")


def _has_option(words: Sequence[str], long: Sequence[str], letters: str) -> bool:
    """Return whether one of these options is among the words, cut short or with others."""
    for word in words:
        if word == "--":
            return False
        if word.startswith("--"):
            name = word.partition("=")[0]
            # "--h" is "--hard"; what could be more than one fails.
            if len(name) > 2 and any(each.startswith(name) for each in long):
                return True
        elif word.startswith("-") and any(letter in word for letter in letters):
            return True
    return False


def _leaves_project(command: Command, project: str | None) -> bool:
    if project is None:
        return False
    root = PurePosixPath(project)
    if command.directory and not PurePosixPath(command.directory).is_relative_to(root):
        return True
    for word, path in command_paths(command):
        if path is None and word.text.startswith(("~", "..")):
            return True
        if path is not None and not PurePosixPath(path).is_relative_to(root):
            return True
    return False


def _git_words(command: Command) -> list[str]:
    """Return the action of a git command and what follows it; empty for other programs."""
    words = [word.text for word in command.arguments] if command.name.lower() == "git" else []
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in _GIT_VALUES else 1 :]
    return words


_MARKS: dict[Risk, Callable[[Command, str | None], bool]] = {
    Risk.ROOT: _runs_as_root,
    Risk.DOWNLOAD: _runs_download,
    Risk.FORCE_PUSH: _force_pushes,
    Risk.DELETE: _deletes,
    Risk.OUTSIDE: _leaves_project,
}
