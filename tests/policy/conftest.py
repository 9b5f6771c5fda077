"""A project in a home folder."""

from __future__ import annotations

from project_calls import project

__all__ = ["project"]
