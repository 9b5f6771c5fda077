"""What is typed into the terminal."""
