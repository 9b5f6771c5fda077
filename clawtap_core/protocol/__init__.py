"""CLIs that are run over stdio: the child process, and the link that drives an adapter's peer."""

from clawtap_core.protocol.child import Child, Exit
from clawtap_core.protocol.link import Link, Wire

__all__ = ["Child", "Exit", "Link", "Wire"]
