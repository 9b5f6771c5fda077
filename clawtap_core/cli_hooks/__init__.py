"""The hooks of CLIs: put into their settings, taken out of them, and the bridge they call.

A CLI calls the bridge with an event's payload; the bridge hands it to the server and gives back
what the server says. It knows the server by files in the data folder, so that what stands in a
CLI's settings stays the same whatever port, certificate or secret the server has.
"""
