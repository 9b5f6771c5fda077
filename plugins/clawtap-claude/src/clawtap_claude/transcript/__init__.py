"""The CLI's own record of a conversation."""
