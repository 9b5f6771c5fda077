"""What the operating system offers: processes, and files that are written atomically."""
