"""CLIs that speak a protocol: a child process or a shared server, and the link to it."""

from clawtap_core.protocol.child import Child, Exit
from clawtap_core.protocol.connection import Link, Wire
from clawtap_core.protocol.reaper import Reaper

__all__ = ["Child", "Exit", "Link", "Reaper", "Wire"]
