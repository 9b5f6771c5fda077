"""What the adapter is called, and what it can do with any CLI."""

from __future__ import annotations

from clawtap_core import AdapterInfo, Brand, Capabilities, hookimpl


@hookimpl
def adapter_info() -> AdapterInfo:
    """Return the identity; it names no program, so that it is used only where it was asked for."""
    return AdapterInfo(
        id="generic",
        name="Another CLI",
        brand=Brand(ansi="37"),
        capabilities=Capabilities(interrupt=True),
        may_exit_when_answered=True,
    )
