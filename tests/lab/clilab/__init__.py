"""The lab: real CLIs from npm, scripted model servers for them, and a desk to sit at.

It needs nothing of ClawTap, so that what it shows is the CLI's own behaviour.
"""
