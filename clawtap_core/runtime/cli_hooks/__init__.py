"""The reports of CLI hooks, and the sessions they belong to."""
