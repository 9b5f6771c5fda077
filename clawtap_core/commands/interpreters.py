"""Interpreters whose programs are not followed, such as Python and Awk."""

from __future__ import annotations

import re

from clawtap_core.commands.values import Command
from clawtap_core.commands.wrappers import has_code, runs_stdin

_LANGUAGES = {
    "Python": r"python[\d.]*|pypy[\d.]*",
    "Perl": r"perl[\d.]*",
    "Ruby": r"ruby[\d.]*",
    "JavaScript": r"node|nodejs|deno|bun",
    "Lua": r"lua[\d.]*|luajit",
    "PHP": r"php[\d.]*",
    "AppleScript": r"osascript",
    "Tcl": r"tclsh[\d.]*|wish[\d.]*",
    "PowerShell": r"pwsh|powershell",
}
# Only imports of the interpreter's own modules and prints without a call.
_STATEMENT = r"(?:import (?:sys|json|os|platform)|(?:print|console\.log)\([\w\s.,+*/%'-]*\))"
_HARMLESS = re.compile(rf"\s*{_STATEMENT}(?:\s*;\s*{_STATEMENT})*\s*;?\s*")
# Settings of git and variables that name a program, or where programs are looked for.
_GIT_SETTING = re.compile(
    r"(?i)(?:alias|pager|filter|include|includeif|credential|merge|mergetool|difftool|gpg)\..+"
    r"|core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|worktree)"
    r"|diff\.(?:external|.+\.(?:command|textconv))|sequence\.editor|.+\.(?:uploadpack|receivepack)"
)
_VARIABLE = re.compile(
    r"PATH|(?:LD|DYLD)_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|(?:\w+_)?(?:PAGER|EDITOR|ASKPASS)"
    r"|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|GIT_(?:EXTERNAL_DIFF|SSH\w*|PROXY_COMMAND|CONFIG\w*"
    r"|EXEC_PATH|TEMPLATE_DIR|DIR)|PYTHONSTARTUP|PERL5(?:OPT|DB)|RUBYOPT|(?:GNU)?MAKEFLAGS"
    r"|GOFLAGS|RUSTC(?:_\w+)?|TAR_OPTIONS|RSYNC_RSH|npm_config_(?:script_shell|node_options)"
)
_NAMES_NOTHING = re.compile(r"(?:cat|less|true|:|)")
_AWK_RUNS = re.compile(r"system\s*\(|(?<!\|)\|(?!\|)|>\s*\"")


def language(name: str) -> str | None:
    """Return the language of an interpreter, by the name of its program."""
    return next((each for each, names in _LANGUAGES.items() if re.fullmatch(names, name)), None)


def chosen_program(variable: str, value: str) -> str | None:
    """Name the program that a variable makes others run, unless it is harmless."""
    if variable == "NODE_OPTIONS":
        return f"what {variable} loads" if re.search(r"-r\b|--(?:re|im|lo|ex)", value) else None
    if not _VARIABLE.fullmatch(variable) or _NAMES_NOTHING.fullmatch(value):
        return None
    return None if variable == "PATH" and value.startswith("$PATH:") else f"what {variable} runs"


def inline_program(command: Command) -> str | None:
    """Name the program that is on the command line or comes in, unless it is harmless."""
    if command.name == "git":
        return _configured_program(command)
    if command.name in ("awk", "gawk", "mawk", "nawk"):
        runs = any(_AWK_RUNS.search(word.text) for word in command.arguments)
        return "a program in Awk" if runs else None
    spoken = language(command.name)
    if spoken is None:
        return None
    if has_code(command):
        harmless = any(word.exact and _HARMLESS.fullmatch(word.text) for word in command.arguments)
        return None if harmless else f"a program in {spoken}"
    # A bare name, such as "python --version", reads nothing worth a mark.
    reads = bool(command.piped_from or command.redirections) and runs_stdin(command)
    return f"a program in {spoken}" if reads else None


def _configured_program(command: Command) -> str | None:
    """Name the program that a setting on git's command line makes it run: git -c alias.x=!id x."""
    texts = [word.text for word in command.arguments]
    for before, text in zip(["", *texts], texts, strict=False):
        if before in ("-c", "--config-env"):
            setting = text
        elif match := re.match(r"(?:-c|--config-env=)(?=\w+\.)", text):
            setting = text[match.end() :]
        else:
            continue
        name, _, value = setting.partition("=")
        if _GIT_SETTING.fullmatch(name) and not _NAMES_NOTHING.fullmatch(value):
            return f"what {name} of git runs"
    return None
