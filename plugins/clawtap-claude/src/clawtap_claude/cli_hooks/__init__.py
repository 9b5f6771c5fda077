"""Claude Code's hooks: their configuration, their payloads and their replies."""
