"""The files in which CLIs keep their conversations: found, followed, read from the end."""
