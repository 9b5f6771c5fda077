"""The conversation, from the CLI's database."""
