"""Panes of a tmux server, watched and answered by control mode."""
