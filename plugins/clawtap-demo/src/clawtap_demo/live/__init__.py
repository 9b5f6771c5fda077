"""What `clawtap doctor --live` runs the demo agent against."""
