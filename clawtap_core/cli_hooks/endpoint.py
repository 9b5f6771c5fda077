"""The private socket on which the bridge reaches the running server.

Only this user can enter the socket's folder, so a connection over it needs no token.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from clawtap_core.cli_hooks.bridge import SERVER, hook_folder, write_bridge
from clawtap_core.errors import ErrorCode, Unavailable
from clawtap_core.system.atomic_file import replace_file

SOCKET = "socket"


@contextmanager
def listening(data_dir: Path) -> Iterator[socket.socket]:
    """Listen on a private socket, and publish it to the bridge while the server runs."""
    try:
        write_bridge(data_dir)
        folder = hook_folder(data_dir)
        # A server that was killed leaves its socket.
        (folder / SOCKET).unlink(missing_ok=True)
    except OSError as error:
        raise Unavailable(
            f"the hooks' socket cannot be made: {error.filename}: {error.strerror}; rename or"
            " remove what is there",
            code=ErrorCode.DATA_DIR_NOT_WRITABLE,
        ) from error
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        path = folder / SOCKET
        try:
            listener.bind(str(path))
        except OSError:
            # The path has more than about 100 bytes, or its file system has no sockets. The
            # folder made here has mode 0700 and a name that nobody can take before.
            path = Path(stack.enter_context(TemporaryDirectory(prefix="clawtap-", dir="/tmp")))
            path /= SOCKET
            listener.bind(str(path))
        stack.callback(path.unlink, missing_ok=True)
        path.chmod(0o600)
        listener.listen(256)
        listener.setblocking(False)
        replace_file(folder / SERVER, f"{os.getpid()} {path}\n".encode())
        stack.callback((folder / SERVER).unlink, missing_ok=True)
        yield listener
