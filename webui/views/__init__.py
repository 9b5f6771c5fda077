"""The routes of the browser app."""
