"""Adapters like the demo's of which one hook raises, hangs, computes or returns rubbish."""

from __future__ import annotations

import os
import time
import types
from dataclasses import replace

from clawtap_demo import adapter as demo

from clawtap_core import hookimpl

HOOKS = (
    "launch",
    "detect_prompt",
    "detect_state",
    "respond",
    "reveal",
    "compose",
    "control",
    "transcript_sources",
    "describe_transcript",
    "parse_transcript",
)


def behave(how):
    if how == "raises":
        raise KeyError("made to")
    while how == "hangs":
        time.sleep(1)
    while how == "computes":
        pass
    return {"rubbish": object()}


def make_adapter(hook, how):
    """The demo's adapter with one hook that behaves so."""
    module = types.ModuleType(f"hostile-{hook}")
    for name in dir(demo):
        if not name.startswith("_"):
            setattr(module, name, getattr(demo, name))
    name = f"hostile-{hook.replace('_', '-')}"

    @hookimpl
    def adapter_info():
        return replace(demo.adapter_info(), id=name, commands=())

    module.adapter_info = adapter_info
    setattr(module, hook, hookimpl(lambda: behave(how)))
    return name, module


def make_notifier(hook, how):
    """A plugin that is notified."""
    module = types.ModuleType(f"hostile-{hook}")
    setattr(module, hook, hookimpl(lambda: behave(how)))
    return f"hostile-{hook.replace('_', '-')}", module


def plugins(how):
    made = [make_adapter(hook, how) for hook in HOOKS]
    return dict([*made, *(make_notifier(hook, how) for hook in ("notify", "send_notice"))])


# The server that loads this has it in its environment.
PLUGINS = plugins(os.environ.get("HOSTILE", "raises"))
