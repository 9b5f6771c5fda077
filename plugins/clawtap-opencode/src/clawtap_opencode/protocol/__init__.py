"""The HTTP server that OpenCode runs next to its TUI when it is started with a port."""
