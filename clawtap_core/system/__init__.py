"""Operating system helpers: processes, exits and atomic files."""
