"""The hooks that the CLI runs."""
