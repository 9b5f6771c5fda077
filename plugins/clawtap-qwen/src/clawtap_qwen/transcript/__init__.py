"""Read the CLI's own files into a conversation."""
