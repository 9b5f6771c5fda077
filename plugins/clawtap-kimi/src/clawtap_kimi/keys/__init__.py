"""Keys that answer, type and steer."""
