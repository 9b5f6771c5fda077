"""Install hooks in the settings of a CLI, and remove them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from clawtap_core.cli_hooks import settings_format, settings_merge
from clawtap_core.cli_hooks.bridge import bridge_folder, bridge_path, write_bridge
from clawtap_core.cli_hooks.install_record import ChangedFile, Record, checksum
from clawtap_core.errors import Conflict, ErrorCode, Impossible, Unavailable
from clawtap_core.model import HookConfig
from clawtap_core.system.atomic_file import mode_of, read_file, replace_file

# A CLI may write its settings at the same moment.
TRIES = 3


@dataclass(frozen=True, slots=True)
class HookStatus:
    """The hooks of one CLI: installed, absent, or changed, when some of them are missing."""

    adapter: str
    state: str
    files: tuple[str, ...] = ()
    note: str = ""


class Installer:
    """Installs hooks below `home` for the server of one data folder."""

    def __init__(self, data_dir: Path, home: Path) -> None:
        self._data_dir = data_dir
        self._home = home
        self._record = Record(data_dir)
        self._mark = str(bridge_path(data_dir))

    def install(self, adapter: str, config: HookConfig) -> HookStatus:
        """Merge hooks into the settings, replacing any that were installed before."""
        with self._record.locked(), _explaining_os_errors():
            write_bridge(self._data_dir)
            previous = {file.path: file for file in self._record.read(adapter)}
            written = []
            for number, part in enumerate((config, *config.also)):
                path = self._home / part.path
                written.append(
                    self._write(adapter, number, path, part, previous.pop(str(path), None))
                )
                # Recorded one by one, so that uninstall finds each file if we are stopped.
                self._record.save(adapter, (*written, *previous.values()))
            for obsolete in previous.values():
                self._remove(obsolete)
            self._record.save(adapter, tuple(written))
        return HookStatus(adapter, "installed", tuple(file.path for file in written), config.note)

    def uninstall(self, adapter: str) -> HookStatus:
        """Remove the hooks, restoring files unchanged since then byte for byte."""
        with self._record.locked(), _explaining_os_errors():
            files = self._record.read(adapter)
            for file in files:
                self._remove(file)
            self._record.save(adapter, ())
        return HookStatus(adapter, "absent", tuple(file.path for file in files))

    def status(self, adapter: str, config: HookConfig | None = None) -> HookStatus:
        """Return whether the hooks are still in place.

        With the config that would be installed, the note names other data folders with hooks there.
        It also says what is wrong with settings that hooks do not fit into any more.
        """
        with _explaining_os_errors():
            files = self._record.read(adapter)
            whole, notes = True, []
            for file in files:
                try:
                    whole = self._is_intact(file) and whole
                except (Impossible, Conflict) as error:
                    whole = False
                    notes.append(error.message)
            others = self._other_folders(adapter, config) if config else []
        if others:
            notes.append(f"hooks of another data folder are installed: {', '.join(others)}")
        state = "absent" if not files else "installed" if whole else "changed"
        return HookStatus(adapter, state, tuple(file.path for file in files), "; ".join(notes))

    def _other_folders(self, adapter: str, config: HookConfig) -> list[str]:
        folders: set[str] = set()
        for part in (config, *config.also):
            path = self._home / part.path
            with suppress(Impossible):  # what cannot be parsed is reported when it is written
                settings = settings_format.parse(path, read_file(path) or b"")
                for text in settings_merge.texts(settings):
                    if folder := bridge_folder(text, adapter):
                        folders.add(str(folder))
        return sorted(folders - {str(self._data_dir)})

    def _is_intact(self, written: ChangedFile) -> bool:
        path = Path(written.path)
        data = read_file(path)
        if data is None:
            return False
        if checksum(data) == written.total:
            return True
        settings = settings_format.parse(path, data)
        settings_merge.merge(settings, written.added, f"{path}: ")
        return settings == settings_format.parse(path, data)

    def _write(
        self, adapter: str, number: int, path: Path, part: HookConfig, previous: ChangedFile | None
    ) -> ChangedFile:
        # Innermost first, the order in which uninstall removes them.
        missing = takewhile(lambda folder: not folder.exists(), path.parents)
        folders = previous.folders if previous else tuple(map(str, missing))
        mode = previous.mode if previous else mode_of(path)
        wrote: list[tuple[bytes | None, bytes]] = []

        def changed(data: bytes | None) -> bytes:
            without = self._without_hooks(path, data, previous)
            settings = settings_format.parse(path, without or b"")
            settings_merge.strip(settings, self._mark)
            settings_merge.merge(settings, part.settings, f"{path}: ")
            wrote.append((without, settings_format.dump(path, settings, without or b"")))
            return wrote[-1][1]

        _change(path, changed, mode)
        without, after = wrote[-1]
        existed = without is not None and (previous is None or previous.before is not None)
        before = self._record.back_up(adapter, number, path, without or b"") if existed else None
        return ChangedFile(str(path), dict(part.settings), checksum(after), before, mode, folders)

    def _without_hooks(
        self, path: Path, data: bytes | None, previous: ChangedFile | None
    ) -> bytes | None:
        if previous is None or data is None:
            return data
        before = self._record.backup_of(previous)
        if checksum(data) == previous.total and (before is not None or previous.before is None):
            return before
        settings = settings_format.parse(path, data)
        settings_merge.unmerge(
            settings, previous.added, settings_format.parse(path, before or b""), self._mark
        )
        return settings_format.dump(path, settings, data)

    def _remove(self, written: ChangedFile) -> None:
        path = Path(written.path)

        def changed(data: bytes | None) -> bytes | None:
            left = self._without_hooks(path, data, written)
            bare = left is not None and not settings_format.parse(path, left)
            return None if written.before is None and bare else left

        _change(path, changed, written.mode)
        for folder in written.folders:
            with suppress(OSError):
                Path(folder).rmdir()
        self._record.forget(written)


def _change(path: Path, change: Callable[[bytes | None], bytes | None], mode: int) -> None:
    """Replace a file's contents, or remove it for None, unless a CLI is writing it too."""
    for _ in range(TRIES):
        data = read_file(path)
        after = change(data)
        if read_file(path) != data:
            continue
        if after is None:
            path.unlink(missing_ok=True)
        elif after != data:
            replace_file(path, after, mode)
        return
    raise Conflict(
        f"{path} is being written by another program; try again", code=ErrorCode.SETTINGS_BUSY
    )


@contextmanager
def _explaining_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"{error.filename or 'a file'} cannot be changed: {error.strerror or error}",
            code=ErrorCode.SETTINGS_NOT_WRITABLE,
        ) from error
