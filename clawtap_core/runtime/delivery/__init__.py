"""Carrying out steps on a pane, with the checks around every key."""
