"""The hooks that Claude Code runs: which are installed, what they report, what they return."""
