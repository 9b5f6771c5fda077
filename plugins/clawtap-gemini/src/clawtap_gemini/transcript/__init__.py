"""Read session files."""
