"""What the hooks of CLIs report, and the sessions they belong to."""
