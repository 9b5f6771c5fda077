"""Scripts, sheets and colours as they are served."""
