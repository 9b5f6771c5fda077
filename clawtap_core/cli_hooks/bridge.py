"""The bridge that a CLI's hooks run: a shell script that calls curl, or Python without curl.

It must cost a CLI nothing when no server runs, so the shell itself checks for the server's
process, whose id is in a file.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from clawtap_core.system.atomic_file import read_file, replace_file

FOLDER, BRIDGE, SERVER = "hooks", "bridge", "server"
FALLBACK = "bridge.py"
EXECUTABLE = 0o700
PATH = "/api/hooks"
# Seconds after which a hook that expects no reply gives up on a server that hangs.
REPORT_SECONDS = "2"

_SCRIPT = """\
#!/bin/sh
# ClawTap's bridge: passes the payload of a CLI's hook to the server and prints the reply.
# Usage: bridge ADAPTER EVENT [wait]. Written by `clawtap`; changes are lost.
folder={folder}
# A CLI may block until its hook has read everything, so read it in any case.
{{ read -r server socket < "$folder/{server}"; }} 2>/dev/null || {{ cat >/dev/null; exit 0; }}
# A server that was killed leaves its process id; only a socket of this user may be reported to.
{{ kill -0 "$server" && [ -O "$socket" ]; }} 2>/dev/null || {{ cat >/dev/null; exit 0; }}
case $TMUX_PANE in %|%*[!0-9]*) pane= ;; %*) pane=$TMUX_PANE ;; *) pane= ;; esac
tmux=${{TMUX#*,}}
tmux=${{tmux%%,*}}
case $tmux in *[!0-9]*) tmux= ;; esac
run=
limit={seconds}
ask() {{
    {ask}
}}
if [ "$3" = wait ]; then
    # The CLI ends a hook that it no longer waits for; the request must end with it.
    run=exec
    limit=86400
    exec 3<&0
    ask "$1" "$2" <&3 2>/dev/null &
    asking=$!
    trap 'kill $asking 2>/dev/null; exit 0' TERM INT HUP
    wait $asking
else
    ask "$1" "$2" 2>/dev/null
fi
exit 0
"""
_CURL = """\
$run {curl} -q -s -f --noproxy '*' --unix-socket "$socket" --connect-timeout 1 -m "$limit" \\
        -H "Content-Type: application/json" -H Expect: -H "X-ClawTap-Pane: $pane" \\
        -H "X-ClawTap-Tmux: $tmux" -H "X-ClawTap-Process: $PPID" --data-binary @- "http://localhost{path}/$1/$2"\
"""
_PYTHON = """\
$run {python} -I "$folder/{fallback}" "$socket" "{path}/$1/$2" "$pane" "$tmux" "$PPID" "$limit"\
"""


def bridge_path(data_dir: Path) -> Path:
    """Return the path of a data folder's bridge."""
    return data_dir / FOLDER / BRIDGE


def bridge_folder(command: str, adapter: str) -> Path | None:
    """Return the data folder whose bridge a hook's command runs for an adapter, or None."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[1:2] != [adapter]:
        return None
    path = Path(words[0])
    return path.parent.parent if path.parts[-2:] == (FOLDER, BRIDGE) else None


def hook_folder(data_dir: Path) -> Path:
    """Return the private folder for what hooks need, and create it if it is missing."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = data_dir / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def script(folder: Path, curl: str | None, python: str) -> str:
    """Return the shell script, which calls the curl at this path, or Python."""
    if curl:
        ask = _CURL.format(curl=shlex.quote(curl), path=PATH)
    else:
        ask = _PYTHON.format(python=shlex.quote(python), fallback=FALLBACK, path=PATH)
    quoted = shlex.quote(str(folder))
    return _SCRIPT.format(folder=quoted, server=SERVER, seconds=REPORT_SECONDS, ask=ask)


def write_bridge(data_dir: Path, *, curl: str | None = None, look: bool = True) -> Path:
    """Write the bridge unless it is up to date, and return its path; `look` finds curl on PATH."""
    folder = hook_folder(data_dir)
    curl = curl or (shutil.which("curl") if look else None)
    files = (
        (folder / FALLBACK, Path(__file__).with_name("fallback.py").read_bytes(), 0o600),
        (folder / BRIDGE, script(folder, curl, sys.executable).encode(), EXECUTABLE),
    )
    for path, data, mode in files:
        if read_file(path) != data or path.stat().st_mode & 0o777 != mode:
            replace_file(path, data, mode)
    # Earlier versions had a secret, and a certificate to check.
    for name in ("secret", "door.json", "curl.conf"):
        (folder / name).unlink(missing_ok=True)
    return folder / BRIDGE
