"""The command `clawtap` and the table of its own commands."""

from __future__ import annotations

import click

from clawtap_core import __version__
from clawtap_core.cli.lazy import LazyGroup

BUILT_IN = {
    "serve": "serving",
    "demo": "serving",
    "new": "sessions",
    "adopt": "sessions",
    "ls": "sessions",
    "attach": "sessions",
    "end": "sessions",
    "send": "talking",
    "interrupt": "talking",
    "mode": "talking",
    "model": "talking",
    "pending": "prompts",
    "approve": "answering",
    "deny": "answering",
    "answer": "answering",
    "respond": "answering",
    "ask": "asking",
    "mcp": "asking",
    "watch": "watching",
    "journal": "watching",
    "hooks": "hooks",
    "history": "history",
    "plugins": "plugins",
    "detect": "screens",
    "steps": "screens",
    "record": "recording",
}


@click.group(
    cls=LazyGroup,
    built_in=BUILT_IN,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="clawtap")
def cli() -> None:
    """Answer the questions of AI coding CLIs from a browser, over REST or from here.

    `clawtap serve` starts the server, `clawtap demo` shows it with a scripted agent. The other
    commands talk to the running server. IDs can be cut to a beginning that is unique.
    """
