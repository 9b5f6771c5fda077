from __future__ import annotations

import ipaddress
from types import SimpleNamespace

import pytest

from clawtap_core.system import network
from clawtap_core.system.network import host_names, is_private, lan_addresses


def adapter(name: str, *addresses: str) -> SimpleNamespace:
    return SimpleNamespace(
        name=name,
        ips=[SimpleNamespace(ip=a if ":" not in a else (a, 0, 0)) for a in addresses],
    )


def test_addresses_that_a_phone_can_open_come_with_the_likeliest_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adapters = [
        adapter("lo", "127.0.0.1", "::1"),
        adapter("eth0", "10.0.0.9", "fd00::2", "fe80::1", "2a00::1"),
        adapter("wlan0", "192.168.1.5"),
        adapter("docker0", "172.17.0.1"),
        adapter("ppp0", "8.8.4.4"),
        adapter("ll0", "169.254.7.7"),
    ]
    monkeypatch.setattr("ifaddr.get_adapters", lambda: adapters)
    monkeypatch.setattr(network, "routed_address", lambda: "192.168.1.5")
    assert lan_addresses() == ("192.168.1.5", "10.0.0.9", "fd00::2")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Box", ("box", "box.local")),
        ("box.lan", ("box.lan", "box.local")),
        ("mac.local", ("mac.local",)),
        ("localhost", ()),
        ("bad name", ()),
        ("10.0.0.1", ()),
        ("", ()),
    ],
)
def test_the_names_of_this_machine(
    name: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: name)
    assert host_names() == names


@pytest.mark.parametrize(
    ("address", "private"),
    [("192.168.1.1", True), ("100.64.3.4", True), ("fd12::1", True), ("8.8.8.8", False),
     ("127.0.0.1", False), ("172.32.0.1", False), ("2a00::1", False)],
)  # fmt: skip
def test_the_internet_is_not_a_private_network(address: str, private: bool) -> None:
    assert is_private(ipaddress.ip_address(address)) is private
