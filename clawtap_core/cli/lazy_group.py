"""A group that imports commands and plugins only when needed.

`clawtap serve` patches the standard library first, so nothing heavy may be imported before.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from clawtap_core.errors import ClawTapError, UsageError


class Failure(click.ClickException):
    """An error printed as one line without a traceback."""

    def __init__(self, error: ClawTapError) -> None:
        super().__init__(f"{error.message} ({error.code})")

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"error: {self.format_message()}", err=True, file=file)


class Misuse(Failure):
    """Invalid settings or flags."""

    exit_code = 2


class LazyGroup(click.Group):
    """A command group; `built_in` maps our own commands to their modules."""

    def __init__(self, *args: Any, built_in: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._built_in = built_in
        self._with_plugins = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return our own commands, then those of plugins."""
        self._load_plugins()
        return [*self._built_in, *(name for name in self.commands if name not in self._built_in)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name; plugins cannot replace ours."""
        if module := self._built_in.get(cmd_name):
            function = cmd_name.replace("-", "_")
            command = getattr(import_module(f"clawtap_core.cli.{module}"), function)
            return command if isinstance(command, click.Command) else None
        self._load_plugins()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and turn ClawTapErrors into one line."""
        try:
            return super().invoke(ctx)
        except ClawTapError as error:
            raise (Misuse if isinstance(error, UsageError) else Failure)(error) from error

    def _load_plugins(self) -> None:
        if not self._with_plugins:
            from clawtap_core.cli.plugins import installed_host

            self._with_plugins = True
            try:
                installed_host().register_commands(self)
            except ClawTapError as error:
                Failure(error).show()
