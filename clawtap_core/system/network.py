"""This machine's addresses and names in its local networks."""

from __future__ import annotations

import ipaddress
import re
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Private networks: no site on the internet has an address in them. 100.64/10 belongs to
# providers and Tailscale.
PRIVATE_NETWORKS = tuple(
    ipaddress.ip_network(network)
    for network in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"),
        *("fc00::/7", "fe80::/10"),
    )
)
# Bridges of containers and virtual machines: no phone is behind them.
_VIRTUAL = re.compile(r"docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|podman|cni|bridge\d")
_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")


def lan_addresses() -> tuple[str, ...]:
    """Return the addresses that other devices in a local network can open, the likeliest first.

    Public addresses are left out, and link-local ones, which do not work in a URL.
    """
    # Imported here only: without --lan nothing needs it.
    import ifaddr

    addresses = [
        ipaddress.ip_address(ip.ip if isinstance(ip.ip, str) else ip.ip[0])
        for adapter in ifaddr.get_adapters()
        if not _VIRTUAL.match(adapter.name)
        for ip in adapter.ips
    ]
    usable = {a for a in addresses if is_private(a) and not a.is_link_local}
    routed = routed_address()
    ranked = sorted(usable, key=lambda a: (str(a) != routed, a.version, int(a)))
    return tuple(map(str, ranked))


def is_private(address: Address) -> bool:
    """Return whether an address belongs to a private network."""
    return any(address in network for network in PRIVATE_NETWORKS)


def routed_address() -> str | None:
    """Return the IPv4 address of the route to elsewhere, or None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket picks the route and sends nothing.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if ipaddress.ip_address(address).is_loopback else address


def host_names() -> tuple[str, ...]:
    """Return this machine's own name and its name in mDNS."""
    name = socket.gethostname().lower().rstrip(".")
    if not is_host_name(name) or name == "localhost":
        return ()
    return tuple(dict.fromkeys((name, f"{name.partition('.')[0]}.local")))


def is_host_name(name: str) -> bool:
    """Return whether this is a host name in lower case, not an address."""
    last = name.rpartition(".")[2]
    return len(name) <= 253 and bool(_NAME.fullmatch(name)) and not last.isdigit()
