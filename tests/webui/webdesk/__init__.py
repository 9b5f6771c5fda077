"""A desk without panes: every form of prompt, a transport over them, a server to click on."""
