"""The command `clawtap` and the table of its own commands."""

from __future__ import annotations

import click

from clawtap_core import __version__
from clawtap_core.cli.lazy_group import LazyGroup

BUILT_IN = {
    "serve": "serve",
    "demo": "serve",
    "service": "service",
    "fleet": "fleet",
    "new": "sessions",
    "adopt": "sessions",
    "ls": "sessions",
    "attach": "sessions",
    "end": "sessions",
    "restore": "restore",
    "send": "messages",
    "wait": "wait",
    "run": "wait",
    "interrupt": "messages",
    "limit": "limits",
    "mode": "messages",
    "model": "messages",
    "pending": "prompts",
    "approve": "answers",
    "deny": "answers",
    "answer": "answers",
    "respond": "answers",
    "ask": "ask",
    "mcp": "ask",
    "rules": "rules",
    "watch": "watch",
    "journal": "watch",
    "hooks": "hooks",
    "history": "history",
    "search": "search",
    "archive": "sessions",
    "plugins": "plugins",
    "devices": "devices",
    "install": "install",
    "completion": "completion",
    "doctor": "doctor",
    "detect": "screens",
    "steps": "screens",
    "record": "record",
    "new-adapter": "new_adapter",
    "check-adapter": "check_adapter",
}


@click.group(
    cls=LazyGroup,
    built_in=BUILT_IN,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="clawtap")
def cli() -> None:
    """Answer the prompts of AI coding CLIs from a browser, over REST or on the command line.

    `clawtap serve` starts the server, `clawtap demo` tries it with a scripted agent. The other
    commands talk to the running server. An id may be shortened to any unique prefix.
    """
