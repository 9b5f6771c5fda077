"""GitHub Copilot CLI's machine protocol."""
