"""From an answer, a message or an action to keys."""
