"""The pytest plugin that comes with ClawTap (entry point `clawtap` of pytest11)."""

from __future__ import annotations
