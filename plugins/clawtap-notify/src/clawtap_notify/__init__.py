"""A notifier for ClawTap: ntfy, or a webhook."""
