"""The command line. Importing it loads neither Flask nor gevent nor any plugin."""

from __future__ import annotations


def main() -> None:
    """The console script `clawtap`."""
    from clawtap_core.cli.app import cli

    cli(prog_name="clawtap")
