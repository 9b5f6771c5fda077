"""Name a browser by its User-Agent."""

from __future__ import annotations

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Mac OS", "Mac"),
    ("Windows", "Windows"),
    ("Linux", "Linux"),
)


def device_name(user_agent: str) -> str:
    """Return a name such as "Firefox on Android"."""
    browser = next((name for mark, name in _BROWSERS if mark in user_agent), "Browser")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return f"{browser} on {system}" if system else browser


def is_phone(user_agent: str) -> bool:
    """Return whether this is the browser of a phone or tablet."""
    return any(mark in user_agent for mark in ("iPhone", "iPad", "Android"))
