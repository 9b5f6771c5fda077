"""Qwen Code against a scripted model, for `clawtap doctor --live` and the tests."""
