"""Read prompts, the composer and the state from a screen."""
