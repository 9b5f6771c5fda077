"""Other programs that ask: each is one session."""
