"""What the terminal shows, as prompts and states."""
