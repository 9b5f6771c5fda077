#!/usr/bin/env python3
"""Write the man page clawtap(1) from the `--help` of every command: man/clawtap.1.

    .ci/man_page.py

Wheels carry it to share/man/man1, where `man clawtap` finds it beside an installed `clawtap`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from clawtap_core import __version__
from clawtap_core.cli.app import BUILT_IN, cli

PAGE = Path(__file__).resolve().parents[1] / "man" / "clawtap.1"
FOOT = r"""
.SH FILES
.TP
.I config.toml
the settings; every flag of
.B clawtap serve
is a key of it
.TP
.I token
the owner's token, in the data folder
.PP
.B clawtap doctor
prints where the data folder is.
.SH EXIT STATUS
0: success. 1: failure, with one line that says why. 2: an invalid command, flag or setting.
.B wait
and
.B run
have more; see their help.
"""


def man_page() -> str:
    """Return the page in the language of man(7)."""
    context = click.Context(cli, info_name="clawtap", max_content_width=100)
    summary, _, rest = (cli.help or "").partition("\n")
    parts = [
        f'.TH CLAWTAP 1 "" "ClawTap {__version__}" "User Commands"',
        ".SH NAME",
        f"clawtap \\- {_text(summary[0].lower() + summary[1:]).rstrip('.')}",
        ".SH SYNOPSIS",
        ".B clawtap",
        ".I COMMAND",
        r"[\fIOPTION\fR ...] [\fIARGUMENT\fR ...]",
        ".SH DESCRIPTION",
        *_paragraphs(rest),
        *_options(cli, context),
        ".SH COMMANDS",
    ]
    for name in BUILT_IN:
        if command := cli.get_command(context, name):
            parts += _command(command, click.Context(command, parent=context, info_name=name))
    return "\n".join(parts) + FOOT


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the section of a command, and those of its own commands."""
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f'.SS "{_text(f"{context.command_path} {pieces}")}"'
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if inner := command.get_command(context, name):
                yield from _command(inner, click.Context(inner, parent=context, info_name=name))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record and isinstance(parameter, click.Option):
            yield from (".TP", f".B {_text(record[0])}", _text(record[1]))


def _paragraphs(help_text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", help_text.strip()):
        yield from (".PP", _text(" ".join(paragraph.split())))


def _text(words: str) -> str:
    """Escape what man(7) would read as its own, and print `code` in bold."""
    escaped = words.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    escaped = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", escaped)
    return re.sub(r"^(?=[.'])", r"\\&", escaped)


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(man_page(), encoding="utf-8")
    print(PAGE.relative_to(Path.cwd()) if PAGE.is_relative_to(Path.cwd()) else PAGE)
