"""The one place where text that others wrote becomes markup."""
