"""A screen in the API: ScreenSchema's fields, its session and its HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from marshmallow import fields

from clawtap_core.model import Screen
from clawtap_core.schemas import ScreenSchema
from clawtap_core.server.screen_html import screen_html


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """The screen of a session's pane."""

    session_id: str
    screen: Screen

    @property
    def html(self) -> str:
        """Return the rows as escaped HTML with classes for styles."""
        return screen_html(self.screen)


class ShownScreenSchema(ScreenSchema):
    """The screen of a session's pane, also as escaped HTML with classes for styles."""

    makes = ShownScreen
    flat = "screen"
    html = fields.String(required=True)


# Streams repaint often, so rows with escape sequences are left out.
_STREAMED = ShownScreenSchema(exclude=("captured",))


def streamed_screen(session_id: str, screen: Screen) -> dict[str, Any]:
    """Return the data of a `screen` event."""
    return cast("dict[str, Any]", _STREAMED.dump(ShownScreen(session_id, screen)))
