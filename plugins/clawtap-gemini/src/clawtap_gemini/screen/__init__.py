"""Read what Gemini CLI shows: prompts, the composer, the state of the session."""
