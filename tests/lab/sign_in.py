"""Requests of the tests, signed in by a token."""

from __future__ import annotations

from typing import Any


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def login(client: Any, **body: str) -> Any:
    """Sign a browser in by a token or a code, and return the reply."""
    return client.post("/api/login", json=body)
