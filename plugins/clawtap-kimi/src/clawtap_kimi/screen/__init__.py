"""From a screen to the normal form."""
