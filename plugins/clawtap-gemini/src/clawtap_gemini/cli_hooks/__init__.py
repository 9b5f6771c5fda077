"""Hooks that Gemini CLI runs: their settings and their payloads."""
