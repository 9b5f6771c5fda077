"""A group that imports commands and plugins only when needed.

`clawtap serve` patches the standard library first, so nothing heavy may be imported before.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from clawtap_core.cli.plugin_sources import plugins_with
from clawtap_core.errors import ClawTapError, UsageError

_LONGEST = 200  # characters of the summary of a plugin's command


class Failure(click.ClickException):
    """An error printed without a traceback: a sentence and its code, then what it lists."""

    def __init__(self, error: ClawTapError) -> None:
        sentence, colon, listed = error.message.partition(":\n")
        super().__init__(f"{sentence} ({error.code}){colon}{listed}")

    def show(self, file: Any = None) -> None:
        """Print the error."""
        from clawtap_core.model.ansi import plain

        click.echo(f"error: {plain(self.format_message())}", err=True, file=file)


class Misuse(Failure):
    """Invalid settings or flags."""

    exit_code = 2


class BuiltIn(NamedTuple):
    """A command of ours: its module, and the first line of its help."""

    module: str
    summary: str


class LazyGroup(click.Group):
    """A command group; listing the commands in `built_in` imports none of them."""

    def __init__(self, *args: Any, built_in: Mapping[str, BuiltIn], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._built_in = built_in
        self._with_plugins = False

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return our own commands, then those of plugins."""
        if plugins_with("register_commands"):
            self._load_plugins()
        return [*self._built_in, *(name for name in self.commands if name not in self._built_in)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command with its summary, which click would cut at the end of the row."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries(ctx).items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands by their summaries, and the flags of the group."""
        commands = [
            CompletionItem(name, help=summary)
            for name, summary in self._summaries(ctx).items()
            if name.startswith(incomplete)
        ]
        # The method of a click group would import every command for its help.
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name; plugins cannot replace ours."""
        if built_in := self._built_in.get(cmd_name):
            module = import_module(f"clawtap_core.cli.{built_in.module}")
            command = getattr(module, cmd_name.replace("-", "_"))
            return command if isinstance(command, click.Command) else None
        self._load_plugins()
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and turn ClawTapErrors into one line."""
        try:
            return super().invoke(ctx)
        except ClawTapError as error:
            raise (Misuse if isinstance(error, UsageError) else Failure)(error) from error

    def _summaries(self, ctx: click.Context) -> dict[str, str]:
        return {
            name: self._built_in[name].summary
            if name in self._built_in
            else self.commands[name].get_short_help_str(_LONGEST)
            for name in self.list_commands(ctx)
        }

    def _load_plugins(self) -> None:
        if not self._with_plugins:
            from clawtap_core.cli.plugins import installed_host

            # Set first: broken plugins are reported once and not loaded again.
            self._with_plugins = True
            try:
                installed_host().register_commands(self)
            except ClawTapError as error:
                Failure(error).show()
