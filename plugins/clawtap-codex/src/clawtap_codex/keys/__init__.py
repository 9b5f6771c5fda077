"""The keys that answer, type and steer."""
