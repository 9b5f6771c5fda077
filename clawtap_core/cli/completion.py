"""The command completion, with which the shell completes commands and flags."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from clawtap_core.errors import ErrorCode, UsageError

SHELLS = ("bash", "zsh", "fish")
# A zsh whose .zshrc does not set completion up has no compdef. The first line, for a file of fpath,
# must stay the first.
_COMPINIT = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\n"


@click.command
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str | None) -> None:
    """Print the lines that let your shell complete commands."""
    shell = shell or Path(os.environ.get("SHELL", "")).name
    completer = get_completion_class(shell) if shell in SHELLS else None
    if completer is None:
        raise UsageError(f"name your shell: {', '.join(SHELLS)}", code=ErrorCode.USAGE)
    root = context.find_root().command
    lines = completer(root, {}, "clawtap", "_CLAWTAP_COMPLETE").source()
    if shell == "zsh":
        first, _, rest = lines.partition("\n")
        lines = f"{first}\n{_COMPINIT}{rest}"
    click.echo(lines)
