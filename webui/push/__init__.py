"""Web push, to browsers in which no page is open. Needs the extra `clawtap[push]`."""
