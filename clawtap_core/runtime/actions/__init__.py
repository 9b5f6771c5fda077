"""What a user does to a session: answer, send, control, attach files."""
