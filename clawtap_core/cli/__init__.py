"""The command line. Importing it loads neither Flask nor gevent nor any plugin."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """The console script `clawtap`."""
    from clawtap_core.cli.app import cli

    # Where a shell closed one (`>&-`), Python has None, and the next file would take its place.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    cli(prog_name="clawtap")
