"""A group of commands that lists when no command is named."""

from __future__ import annotations

import click


class ListByDefault(click.Group):
    """A group whose options, without a command, are those of `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add `list` where no command is named."""
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names)
        bare = not args or args[0].startswith("-")
        return super().parse_args(ctx, args if named or not bare else ["list", *args])
