"""From the CLI's own files to a conversation."""
