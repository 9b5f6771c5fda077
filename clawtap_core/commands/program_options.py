"""Options and actions by which a program runs another one, such as `tar --to-command=x`."""

from __future__ import annotations

import re

from clawtap_core.commands.values import Command

# Looked for in the arguments, each after a line break. A match too many costs a second look.
_RUNS = {
    "git": r"\s(?:bisect\srun|submodule\sforeach|filter-branch|ext::\S*|--(?:upload|receive)-p\S*)"
    r"(?:\s|$)|\s(?:rebase\b.*\s(?:-x|--exec)|difftool\b.*\s(?:-x|--extcmd))"
    r"|\sgrep\b.*\s(?:-\w*O|--open)",
    "tar gtar bsdtar": r"\s(?:--(?:to-c|checkpoint-a|us|rs|inf|new)|-[A-Za-z]*[IF])",
    "rg": r"\s--(?:pre|hostname-bin)(?:=|\s)",
    "sort gsort": r"\s--comp",
    "split gsplit": r"\s--fil",
    "rsync": r"\s(?:-[A-Za-z]*e|--rsh)[\s=]?(?!ssh\b)\S",
    "man": r"\s(?:-[A-Za-z]*[PH]|--pag|--htm)",
    "ssh": r"(?i)(?:proxy|local|knownhosts)command",
    "scp sftp": r"(?i)(?:proxy|local|knownhosts)command|\s-S",
    "vi vim nvim view ex": r"!|system\(",
    "go": r"\s-{1,2}(?:(?:tool)?exec|vettool)\b",
    "tmux": r"\s(?:new|neww|new-\w+|sp\S*|run\S*|send\S*|if\S*|respawn\S*|pipe\S*|popup)\s",
    "screen": r"\s-\w*[mX]",
    "crontab": r"^(?!\s-l$)",
    "at batch": r"",
    # The command e, and the flag e of s.
    "sed gsed": r"[\n;{}]\s?(?:[\d$,~]+|/[^/\n]*/)?!?\s?e(?:\s|$)"
    r"|(?<![A-Za-z])s([^\w\s])[^\n]{0,300}\1[gpiIm\d]{0,6}e(?:[\s;}]|$)",
}
_BY_PROGRAM = {
    name: re.compile(runs, re.DOTALL) for names, runs in _RUNS.items() for name in names.split()
}


def program_of_option(command: Command) -> str | None:
    """Name the program that an option or an action makes another one run."""
    runs = _BY_PROGRAM.get(command.name)
    text = "".join(f"\n{word.text}" for word in command.arguments)
    return f"what {command.name} runs" if runs and runs.search(text) else None
