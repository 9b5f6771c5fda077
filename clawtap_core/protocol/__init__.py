"""CLIs that speak a protocol: a child process or a shared server, and the link to it."""

from clawtap_core.protocol.child import Child, Exit
from clawtap_core.protocol.connection import Link, Wire
from clawtap_core.protocol.reaper import Reaper
from clawtap_core.protocol.unix_socket import SocketWire

__all__ = ["Child", "Exit", "Link", "Reaper", "SocketWire", "Wire"]
