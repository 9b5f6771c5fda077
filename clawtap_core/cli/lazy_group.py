"""A group that imports a command when it is called, and plugins only when they may matter.

`clawtap serve` patches the standard library first thing, so nothing heavy may be imported on
the way to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from clawtap_core.errors import ClawTapError, UsageError


class Failure(click.ClickException):
    """A failure that is explained: one line, no traceback."""

    def __init__(self, error: ClawTapError) -> None:
        super().__init__(f"{error.message} ({error.code})")

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"error: {self.format_message()}", err=True, file=file)


class Misuse(Failure):
    """Settings or flags that make no sense."""

    exit_code = 2


class LazyGroup(click.Group):
    """`built_in`: the names of our own commands, each with the module that has it."""

    def __init__(self, *args: Any, built_in: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._built_in = built_in
        self._with_plugins = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our own commands, then those of plugins."""
        self._load_plugins()
        return [*self._built_in, *(name for name in self.commands if name not in self._built_in)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by its name; no plugin can take the place of one of ours."""
        if module := self._built_in.get(cmd_name):
            command = getattr(import_module(f"clawtap_core.cli.{module}"), cmd_name)
            return command if isinstance(command, click.Command) else None
        self._load_plugins()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; explained failures become one line."""
        try:
            return super().invoke(ctx)
        except ClawTapError as error:
            raise _failure(error) from error

    def _load_plugins(self) -> None:
        if not self._with_plugins:
            from clawtap_core.cli.plugins import installed_host

            self._with_plugins = True
            try:
                installed_host().register_commands(self)
            except ClawTapError as error:
                Failure(error).show()


def _failure(error: ClawTapError) -> Failure:
    return Misuse(error) if isinstance(error, UsageError) else Failure(error)
