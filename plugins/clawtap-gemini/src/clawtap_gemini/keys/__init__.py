"""Keys that answer, type, steer and look through lists."""
