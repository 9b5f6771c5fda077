"""Compress pages and their files."""

from __future__ import annotations

import gzip
from functools import lru_cache

from flask import Flask, Response, request

_SMALLEST = 600
_TYPES = ("text/html", "text/css", "text/javascript", "image/svg+xml", "application/json")


def install(app: Flask) -> None:
    """Compress pages; the API's replies and streams go as they are."""
    app.after_request(_compress)


@lru_cache(maxsize=128)
def compressed_once(data: bytes) -> bytes:
    """Compress what never changes."""
    return gzip.compress(data, 6, mtime=0)


def _compress(response: Response) -> Response:
    if request.path.startswith("/api/") or response.mimetype not in _TYPES:
        return response
    response.vary.add("Accept-Encoding")
    accepted = request.accept_encodings.quality("gzip") > 0
    ready = response.is_sequence and not response.direct_passthrough
    if not accepted or not ready or "Content-Encoding" in response.headers:
        return response
    data = response.get_data()
    if len(data) >= _SMALLEST:
        static = request.path.startswith("/static/")
        response.set_data(compressed_once(data) if static else gzip.compress(data, 5, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
