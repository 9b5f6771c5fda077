"""The program of a CLI: where it is, its version, and the name that an adapter starts."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from clawtap_core.errors import ErrorCode, Impossible
from clawtap_core.host import Adapter
from clawtap_core.model import AdapterInfo, LaunchRequest
from clawtap_core.runtime.channel import PROTOCOL, TERMINAL
from clawtap_core.system.processes import program_output
from clawtap_core.testing.live.workplace import bare_environment

_VERSION = re.compile(r"\d+\.\d+(?:[.+-]\w+)*")


def find_program(info: AdapterInfo, program: str | None = None) -> Path:
    """Return the program to check: this one, or the adapter's on the PATH."""
    argv = (program,) if program else info.version_argv or info.commands
    path = shutil.which(argv[0]) if argv else None
    if path is None:
        how = f"; get it with: {info.install}" if info.install and not program else ""
        named = f"{program!r} is not a program" if program else f"{info.name} is not on the PATH"
        raise Impossible(f"{named}{how}", code=ErrorCode.CLI_NOT_INSTALLED)
    return Path(path).absolute()


def name_over_protocol(adapter: Adapter) -> str | None:
    """Return the name of the program that the adapter starts for a session over the protocol.

    None if it is not the program of a terminal: that other one is found by its own name.
    """
    if PROTOCOL not in adapter.info.capabilities.channels:
        return None
    requests = (LaunchRequest(adapter.id, "/", channel=each) for each in (TERMINAL, PROTOCOL))
    names = {launch.argv[0] for launch in map(adapter.launch, requests) if launch}
    return names.pop() if len(names) == 1 else None


def program_version(info: AdapterInfo, program: Path) -> str | None:
    """Return the version that the program prints, or None."""
    if not info.version_argv:
        return None
    # Some CLIs write into their HOME even now, and run what an update left there.
    with tempfile.TemporaryDirectory(prefix="clawtap-live-", ignore_cleanup_errors=True) as folder:
        env = bare_environment(Path(folder), Path(folder), program)
        output = program_output(str(program), *info.version_argv[1:], seconds=20, env=env)
    match = _VERSION.search(output or "")
    return match[0] if match else None
