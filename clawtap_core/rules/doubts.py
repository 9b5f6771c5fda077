"""Why no rule may allow a call: in doubt, a person decides."""

from __future__ import annotations

import os
import posixpath
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterator

from clawtap_core.commands import Command, Script, is_powershell, resolve, types_text
from clawtap_core.model import Effect
from clawtap_core.rules.command_paths import is_stream
from clawtap_core.rules.paths import escapes, is_inside, real_path
from clawtap_core.rules.tool_call import ToolCall

# They run what they read, or what other words name.
_RUNNERS = frozenset(
    (
        *(
            "sh",
            "bash",
            "zsh",
            "dash",
            "ksh",
            "ash",
            "fish",
            "mksh",
            "csh",
            "tcsh",
            "rbash",
            "yash",
        ),
        *("eval", "source", ".", "exec", "xargs", "parallel", "watch", "trap", "coproc", "ssh"),
        *("su", "sudo", "doas", "pkexec", "run0", "runuser", "chroot", "nsenter", "unshare"),
        *("script", "flock", "busybox", "toybox", "entr", "at", "batch", "expect"),
        *("compgen", "emulate", "noglob", "nocorrect", "repeat", "sched", "zpty"),
    )
)
# They change what later commands mean.
_STATE = frozenset(
    (
        *("alias", "unalias", "export", "declare", "typeset", "local", "readonly", "unset", "set"),
        *("shopt", "setopt", "enable", "hash", "read", "mapfile", "readarray", "let", "getopts"),
        *("builtin", "command", "bind", "complete", "function", "pushd", "popd", "ulimit", "umask"),
        *("history", "fc", "jobs", "chdir", "integer", "float", "zmodload", "disable", "unsetopt"),
    )
)
# An option of theirs names a variable that they set, such as PATH.
_SETS = {"printf": r"-\w*v", "print": r"-\w*v", "wait": r"-\w*p"}
# They look into a name such as "a[$(id)]", though it is in quotes.
_EVALUATE = frozenset(("test", "[", "printf", "wait"))
_MOST_WORDS = 60
# Letters that cannot be confused with ASCII letters, and pictures.
_UNLIKE_ASCII = ("LATIN", "CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "HANGUL SYLLABLE")
_FIRST_EMOJI = 0x1F300


def doubts(call: ToolCall) -> Iterator[str]:
    """Yield each reason why a person must decide this call, whatever the rules say."""
    if call.form.truncated:
        yield "the CLI shows only part of it"
    if call.form.rewrapped:
        yield "the screen does not show all of it, and no hook has reported which call it is"
    if call.form.with_effect(Effect.ALLOW_ONCE) is None:
        yield "the CLI offers no option that allows it once"
    if not call.tool:
        yield "the CLI does not name the tool"
    if not call.folder:
        yield "the folder of the session is not known"
    if call.input.get("permissions"):
        yield "it also asks for more permissions"
    if call.script is None:
        yield from _other_doubts(call)
    else:
        if is_powershell(call.tool):
            yield "it is for PowerShell, whose words are not followed"
        yield from _input_doubts(call)
        yield from script_doubts(call.script, call.command or "")
        yield from _folder_doubts(call)
    for named in call.paths:
        if escapes(named, call.folder):
            yield f"{named.written} is a link that leads out of the project"


def script_doubts(script: Script, text: str) -> Iterator[str]:
    """Yield each part of a command line that cannot be followed word by word."""
    yield from (f"it has {part}, which is not followed" for part in script.unknown)
    yield from (f"it has {_an(part)}" for part in script.constructs)
    if not script.commands:
        yield "it has no command"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text):
        yield "it has a control character"
    if not reads_the_same(script, text):
        yield "its words can be read in more than one way"
    for command in script.commands:
        yield from _command_doubts(command)


def reads_the_same(script: Script, text: str) -> bool:
    """Return whether Python's own lexer finds the same words as the grammar."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        tokens = [token for token in lexer if not re.fullmatch(r"[();<>|&]+", token)]
    except ValueError:
        return False
    words: Counter[str] = Counter()
    redirections = 0
    for command in script.commands:
        if command.wrappers:
            continue  # its words are those of its wrapper
        words.update([command.program] if command.program else [])
        words.update(word.text for word in command.arguments)
        words.update(each.target.text for each in command.redirections)
        redirections += len(command.redirections)
    more = Counter(tokens) - words
    descriptors = sum(more.values()) <= redirections and all(map(str.isdecimal, more))
    return descriptors and not words - Counter(tokens)


def _command_doubts(command: Command) -> Iterator[str]:
    name = command.name.casefold()
    if name in _RUNNERS or _RUNNERS.intersection(command.wrappers):
        yield f"{command.name} runs other commands"
    elif {"find", "fd", "fdfind"}.intersection(command.wrappers):
        yield f"{command.wrappers[-1]} runs {command.name} with files that it finds"
    if name in _STATE or _sets_variable(name, command):
        yield f"{command.name} changes what later commands do"
    if not re.fullmatch(r"[A-Za-z0-9_./+@-]+", command.program):
        yield f"{command.program!r} is not a plain program name"
    if name in _EVALUATE and any(re.search(r"\$\(|`", word.text) for word in command.arguments):
        yield f"{command.name} may run what stands in quotes"
    for word in command.arguments:
        if not word.exact:
            yield f"the shell decides what {word.text} is"
        elif odd := odd_character(word.text):
            yield f"{word.text!r} has {odd}"
        elif re.match(r"[~=]|[A-Za-z_]\w*\+?=(?:.*:)?~", word.text):
            yield f"the shell may replace {word.text}"
    for redirection in command.redirections:
        target = redirection.target
        if redirection.operator.startswith("<<"):
            yield "it has a here-document"
        elif is_stream(redirection.operator, target.text):
            continue
        elif not target.exact or odd_character(target.text):
            yield f"the shell decides what {target.text} is"


def _sets_variable(name: str, command: Command) -> bool:
    option = _SETS.get(name)
    return option is not None and any(re.match(option, word.text) for word in command.arguments)


def odd_character(text: str) -> str | None:
    """Describe the first character that is invisible or looks like another; None if none is."""
    for character in text:
        if character == " " or (character.isascii() and character.isprintable()):
            continue
        if character in "\n\t":
            return "a line break or a tab"
        category = unicodedata.category(character)
        if category[0] in "CZ" or category in ("Mn", "Me", "Sk", "Lm"):
            return f"an invisible character (U+{ord(character):04X})"
        name = unicodedata.name(character, "")
        unlike = name.startswith(_UNLIKE_ASCII) or ord(character) >= _FIRST_EMOJI
        if not unlike or unicodedata.normalize("NFKC", character) != character:
            return f"a character that may look like another (U+{ord(character):04X})"
    return None


def _input_doubts(call: ToolCall) -> Iterator[str]:
    yield from (f"the tool is also given {name}" for name in call.unknown_inputs)
    command = call.command or ""
    if len(command.split()) > _MOST_WORDS:
        yield "the command is very long"


def _folder_doubts(call: ToolCall) -> Iterator[str]:
    project = real_path(call.folder) if call.folder else None
    for command in call.script.commands if call.script else ():
        if command.name == "cd" and not _surely_goes(command, call.command or ""):
            yield "cd may fail, and what follows runs elsewhere"
        directory = command.directory
        if directory is None:
            yield f"the folder in which {command.name or 'it'} runs is not known"
        elif project and not is_inside(real_path(directory), project):
            yield f"{command.name or 'it'} runs outside the project, in {directory}"
        elif project and command.name == "git" and _is_planted(real_path(directory), project):
            yield f"in {directory} git obeys the settings of a repository inside the project"


def _is_planted(directory: str, project: str) -> bool:
    """Return whether git may find a repository here that is not the project's own.

    Its settings name programs, which even `git status` runs. Git takes any folder with the files of
    a bare repository for one, so an agent could write them where it may write.
    """
    while is_inside(directory, project):
        if os.path.lexists(f"{directory}/.git"):
            return directory != project
        if os.path.lexists(f"{directory}/HEAD"):
            return True
        if directory == project:
            break
        directory = posixpath.dirname(directory)
    return False


def _surely_goes(command: Command, text: str) -> bool:
    """Return whether a cd leads where it says: with "||", or in a pipe, the shell decides."""
    if "||" in text or command.piped_from or len(command.arguments) != 1:
        return False
    target = command.arguments[0]
    folder = resolve(target, command.directory)
    return folder is not None and os.access(folder, os.X_OK) and os.path.isdir(folder)  # noqa: PTH112


def _other_doubts(call: ToolCall) -> Iterator[str]:
    if call.form.tool_input is None:
        yield "the CLI does not show the whole input of the tool"
    elif call.hides_command:
        yield "the command cannot be read"
    elif types_text(call.tool):
        yield "it types into a program that runs, which may be a shell"
    for named in call.paths:
        if odd := odd_character(named.written):
            yield f"{named.written!r} has {odd}"


def _an(part: str) -> str:
    return f"an{part[1:]}" if re.match(r"a [aeiou]", part) else part
