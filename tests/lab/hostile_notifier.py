"""A plugin whose `notify` never ends to compute."""

from hostile_plugins import make_notifier

PLUGINS = dict([make_notifier("notify", "computes")])
