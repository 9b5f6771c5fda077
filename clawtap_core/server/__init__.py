"""The HTTP server: REST and SSE over a `Transport`, without any knowledge of the runtime.

`clawtap_core.server.app.create_app` makes the app, `clawtap_core.server.entry.run` serves it.
Nothing is imported here, since gevent must patch before Flask is imported.
"""
