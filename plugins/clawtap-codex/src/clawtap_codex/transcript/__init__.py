"""The rollout files that the CLI writes."""
