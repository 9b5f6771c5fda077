"""The command line. Importing it loads neither Flask nor gevent nor any plugin."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """The console script `clawtap`."""
    from clawtap_core.cli.app import cli

    # If the shell closed a stream (`>&-`), the next file that is opened would be used as it.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    cli(prog_name="clawtap")
