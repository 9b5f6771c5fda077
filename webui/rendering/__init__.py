"""The partials, and what they need beside their data."""
