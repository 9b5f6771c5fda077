"""The web side: HTTP and SSE over a `Transport`, and nothing else of ClawTap's agent side.

`clawtap_core.server.app.create_app` makes the app, `clawtap_core.server.entry.run` serves it.
Nothing is imported here: the process entry patches gevent before it imports Flask.
"""
