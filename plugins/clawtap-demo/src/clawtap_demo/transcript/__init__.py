"""The agent's own file of the conversation, as messages."""
