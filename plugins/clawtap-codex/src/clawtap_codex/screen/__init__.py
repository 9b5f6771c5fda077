"""What a screen of the CLI shows."""
