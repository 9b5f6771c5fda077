"""Sessions in tmux panes: their screens become prompts, states and streamed text."""
