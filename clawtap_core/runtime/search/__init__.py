"""Search over sessions, their conversations, and what the CLIs have stored."""
