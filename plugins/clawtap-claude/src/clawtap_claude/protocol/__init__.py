"""Claude Code over stdio, in stream-json."""
