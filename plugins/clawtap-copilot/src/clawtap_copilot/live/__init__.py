"""GitHub Copilot CLI against a scripted model, for `clawtap doctor --live` and the tests."""
