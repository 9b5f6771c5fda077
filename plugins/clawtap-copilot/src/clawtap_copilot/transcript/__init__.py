"""The conversation, from the CLI's file of events."""
