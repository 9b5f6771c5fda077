"""Pure rules about prompts: identity, validation, deadlines, and who answers first."""
