"""The settings of a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from socket import gethostname

from platformdirs import user_data_path

from clawtap_core.model import Kind

TIMEOUT = 600.0


def default_data_dir() -> Path:
    """Return this platform's data folder for ClawTap."""
    return user_data_path("clawtap", appauthor=False)


def same_timeout(seconds: float) -> dict[Kind, float]:
    """Return one timeout for every kind of prompt."""
    return dict.fromkeys(Kind, seconds)


@dataclass(frozen=True, slots=True)
class Settings:
    """How ClawTap runs here.

    `interaction_timeout` is in seconds by kind (0: no limit); `load_plugins` limits plugins
    unless None; `trust_folders` is "ask" or "always"; `insecure` allows other machines without TLS;
    `lan` serves local networks over HTTPS with our own certificate.
    `redis_url` is that of the fleet, `fleet_key_file` a key elsewhere than in the data folder.
    `notification_grace` is in seconds; `quiet_hours` like "22:00-07:00", or "" for none.
    """

    host: str = "127.0.0.1"
    port: int = 3456
    data_dir: Path = field(default_factory=default_data_dir)
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    allowed_hosts: tuple[str, ...] = ()
    tmux_socket: str | None = None
    lan: bool = False
    insecure: bool = False
    trust_folders: str = "ask"
    interaction_timeout: Mapping[Kind, float] = field(default_factory=lambda: same_timeout(TIMEOUT))
    load_plugins: tuple[str, ...] | None = None
    block_plugins: tuple[str, ...] = ()
    journal_days: int = 90
    notification_grace: float = 30.0
    notification_buttons: bool = True
    quiet_hours: str = ""
    redis_url: str | None = field(default=None, repr=False)
    fleet_key_file: Path | None = None
    machine_name: str | None = None
    log_level: str = "info"

    @property
    def protocol(self) -> str:
        """Return https with a certificate, else http."""
        return "https" if self.tls_cert else "http"

    @property
    def fleet_key(self) -> Path:
        """Return where this machine's fleet key is, if it belongs to a fleet."""
        return self.fleet_key_file or self.data_dir / "fleet.key"

    @property
    def in_fleet(self) -> bool:
        """Return whether this machine is to belong to a fleet."""
        return bool(self.redis_url or self.fleet_key_file) or self.fleet_key.exists()

    @property
    def name_in_fleet(self) -> str:
        """Return what the machines of a fleet call this one."""
        return self.machine_name or gethostname() or "machine"
