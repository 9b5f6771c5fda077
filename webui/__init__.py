"""The browser app. `webui.plugin` registers it; it knows the API, not the adapters."""
