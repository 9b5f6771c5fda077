"""Install hooks in the settings of CLIs, and the bridge that they call.

The bridge passes an event's payload to the server and prints its reply. It finds the server by
files in the data folder, so a CLI's settings do not depend on port, certificate or secret.
"""
