"""The files in which CLIs keep their conversations."""
