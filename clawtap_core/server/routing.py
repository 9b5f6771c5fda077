"""URL rules that are matched, and from which no URL is built."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from werkzeug.routing import Rule


class LazyRule(Rule):
    """A rule that compiles its builders of URLs when one is built, which may never be.

    Werkzeug compiles two for each rule, which takes a twentieth of a server's start.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = cache(lambda: super(LazyRule, self)._compile_builder(append_unknown))

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            return compiled()(rule, **values)

        return build
