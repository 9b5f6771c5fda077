"""Web push: what waits, told to browsers that are not open. Needs the extra `clawtap[push]`."""
