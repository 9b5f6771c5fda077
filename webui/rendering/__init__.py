"""Rendering partials, and the data that they need besides their values."""
