"""The HTTP server that OpenCode runs beside its TUI when it is started with a port."""
