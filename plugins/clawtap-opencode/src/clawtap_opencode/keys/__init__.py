"""Keys that answer, type, steer and open a cut text."""
