"""The partials, and what they need apart from their data."""
