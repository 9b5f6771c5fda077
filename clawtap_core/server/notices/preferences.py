"""The user's preferences for notices: settings, changes made on the page, muted sessions."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from clawtap_core.config import Settings
from clawtap_core.config.quiet_hours import QuietHours
from clawtap_core.server.private_files import private_folder, read_json, write_private

_MOST_MUTED = 500


@dataclass(frozen=True, slots=True)
class NoticeSettings:
    """The grace in seconds, quiet hours like "22:00-07:00" or "", and whether there are buttons."""

    grace: float = 30.0
    quiet_hours: str = ""
    buttons: bool = True


@dataclass(frozen=True, slots=True)
class _Saved:
    """What is stored: changes to the settings, muted sessions, devices of targets by address."""

    settings: Mapping[str, Any]
    muted: tuple[str, ...] = ()
    targets: Mapping[str, str] | None = None


class Preferences:
    """Preferences, stored in `path`; what is changed there wins over `config.toml`."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._defaults = NoticeSettings(
            settings.notification_grace, settings.quiet_hours, settings.notification_buttons
        )
        self._saved = read_json(path, _parse, "the notification settings") or _Saved({})
        try:
            self._current = replace(self._defaults, **self._saved.settings)
            QuietHours.parse(self._current.quiet_hours)
        except (TypeError, ValueError, AttributeError):
            self._current = self._defaults

    @property
    def settings(self) -> NoticeSettings:
        """The settings that apply now."""
        return self._current

    @property
    def muted(self) -> tuple[str, ...]:
        """The ids of muted sessions."""
        return self._saved.muted

    def change(self, settings: NoticeSettings) -> None:
        """Store other settings."""
        with self._lock:
            self._write(replace(self._saved, settings=asdict(settings)))
            self._current = settings

    def mute(self, session_id: str, *, muted: bool) -> None:
        """Mute or unmute a session."""
        with self._lock:
            others = tuple(each for each in self._saved.muted if each != session_id)
            kept = (*others, session_id)[-_MOST_MUTED:] if muted else others
            self._write(replace(self._saved, muted=kept))

    def target_device(self, address: str) -> str | None:
        """Return the device that stands for a target's address."""
        return (self._saved.targets or {}).get(address)

    def set_target_device(self, address: str, device_id: str) -> None:
        """Remember the device that stands for a target's address."""
        with self._lock:
            targets = {**(self._saved.targets or {}), address: device_id}
            self._write(replace(self._saved, targets=targets))

    def _write(self, saved: _Saved) -> None:
        private_folder(self._path.parent)
        write_private(self._path, json.dumps(asdict(saved), indent=1) + "\n")
        self._saved = saved


def _parse(stored: Any) -> _Saved:
    return _Saved(dict(stored["settings"]), tuple(stored["muted"]), dict(stored["targets"] or {}))
