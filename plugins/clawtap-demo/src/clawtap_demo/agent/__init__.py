"""The scripted agent: a terminal program of our own that asks all that an AI coding CLI asks.

It needs the standard library only: no key, no network.
"""
