"""Ending children when their server dies: most CLIs end with their input, some do not.

A small shell reads the process groups from a pipe that only this process holds. When the
pipe breaks, however this process died, the shell ends the groups that are left.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from contextlib import suppress

log = logging.getLogger(__name__)
_SCRIPT = """
trap '' HUP INT TERM
held=
while read -r word group; do
  left=
  for each in $held; do [ "$each" = "$group" ] || left="$left $each"; done
  held=$left
  [ "$word" = hold ] && held="$held $group"
done
end() { for each in $held; do kill -s "$1" -- "-$each" 2>/dev/null; done; }
[ -n "$held" ] || exit 0
end TERM
sleep 1
end KILL
"""


class Reaper:
    """The shell, started with the first child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def hold(self, group: int) -> None:
        """End this process group when this process is gone."""
        self._send(f"hold {group}")

    def free(self, group: int) -> None:
        """Forget the process group of a child that ended."""
        if self._process:
            self._send(f"free {group}")

    def close(self) -> None:
        """End the shell; no child is running."""
        with self._lock:
            process, self._process = self._process, None
        if process and process.stdin:
            with suppress(OSError):
                process.stdin.close()
            process.wait()

    def _send(self, line: str) -> None:
        with self._lock:
            try:
                self._process = self._process or _start()
                assert self._process.stdin  # noqa: S101 - it is a pipe
                self._process.stdin.write(line.encode() + b"\n")
            except OSError as error:
                log.warning("children may outlive a sudden end of ClawTap: %s", error)


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ("/bin/sh", "-c", _SCRIPT, "clawtap-reaper"),
        cwd="/",
        env={"PATH": os.defpath},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
