"""The command hub; nothing heavy is imported before gevent patches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from clawtap_core.cli.serve import hub_options, serving_settings


@click.command
@hub_options
def hub(config: Path | None, **flags: Any) -> None:
    """Serve the page and the API of a fleet, without CLIs or tmux.

    Any number of hubs can run behind a load balancer. Join the fleet first, with
    `clawtap fleet join`.
    """
    from clawtap_core.server.entry import run_hub

    sys.exit(run_hub(serving_settings(config, flags)))
