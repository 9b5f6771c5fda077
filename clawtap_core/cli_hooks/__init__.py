"""Install hooks in the settings of CLIs, and the bridge that they call.

The bridge passes an event's payload to the server over a private socket and prints its reply. It
finds the socket by a file in the data folder, so a CLI's settings depend on that folder alone.
"""
