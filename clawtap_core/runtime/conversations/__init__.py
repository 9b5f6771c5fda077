"""Which transcript belongs to which session, and what it adds to the conversation."""
