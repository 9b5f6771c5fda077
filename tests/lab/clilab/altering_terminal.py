"""A terminal that changes a CLI: other words or lines on its screen, other keys to it.

By hand: python altering_terminal.py '{"screen": {"Yes": "Aye"}, "keys": {"y": "n"}}' PROGRAM...
"""

from __future__ import annotations

import json
import os
import re
import select
import sys
from collections.abc import Mapping
from pathlib import Path

# Pastes, the names of keys, and what a terminal replies: of these no character is a key.
_NOT_KEYS = re.compile(
    rb"(\x1b\[200~.*?(?:\x1b\[201~|\Z)|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b[\]P].*?(?:\x07|\x1b\\))",
    re.DOTALL,
)


def install(
    file: Path,
    program: Path,
    *,
    screen: Mapping[str, str] | None = None,
    keys: Mapping[str, str] | None = None,
) -> Path:
    """Write a command that runs this program behind such a terminal; return it."""
    changes = json.dumps({"screen": dict(screen or {}), "keys": dict(keys or {})})
    lines = (
        f"#!{sys.executable}",
        "import sys",
        f"sys.path.insert(0, {str(Path(__file__).parents[1])!r})",
        "from clilab.altering_terminal import main",
        f"sys.exit(main({changes!r}, [{str(program)!r}, *sys.argv[1:]]))",
    )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def main(changes: str, argv: list[str]) -> int:
    """Run the program, whose `--version` is not changed."""
    from clilab.slow_terminal import run_behind

    if not sys.stdin.isatty():
        os.execv(argv[0], argv)
    wanted = json.loads(changes)
    return run_behind(argv, lambda line: _pass_on(line, wanted["screen"], wanted["keys"]))


def _pass_on(line: int, screen: Mapping[str, str], keys: Mapping[str, str]) -> None:
    while True:
        ready, _, _ = select.select([0, line], [], [])
        if 0 in ready:
            os.write(line, changed_keys(os.read(0, 65536), keys))
        if line not in ready:
            continue
        try:
            data = os.read(line, 65536)
            # A frame comes in pieces, of which none may hide what is to be changed.
            while select.select([line], [], [], 0.02)[0] and len(data) < 1_000_000:
                data += os.read(line, 65536)
        except OSError:
            return
        data = _changed(data, screen)
        while data:
            data = data[os.write(1, data) :]


def changed_keys(data: bytes, keys: Mapping[str, str]) -> bytes:
    """Return what is typed with other keys in place of these."""
    pieces = _NOT_KEYS.split(data)
    pieces[::2] = [_changed(typed, keys) for typed in pieces[::2]]
    others = {before.encode(): after.encode() for before, after in keys.items()}
    pieces[1::2] = [others.get(key, key) for key in pieces[1::2]]
    return b"".join(pieces)


def _changed(data: bytes, changes: Mapping[str, str]) -> bytes:
    for before, after in changes.items():
        data = data.replace(before.encode(), after.encode())
    return data


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
