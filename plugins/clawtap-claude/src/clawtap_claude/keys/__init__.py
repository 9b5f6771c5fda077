"""Keys for the terminal: answers, messages and controls."""
