from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import clawtap_core

SERVER = Path(clawtap_core.__file__).parent / "server"
RUNTIME_SIDE = ("runtime", "terminal", "journal", "prompts", "screens", "keystrokes", "cli")
# The process entry opens the runtime, through the one function that is meant for it.
ALLOWED = {("serve.py", "clawtap_core.runtime")}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_the_server_knows_the_runtime_only_as_a_transport() -> None:
    forbidden = tuple(f"clawtap_core.{name}" for name in RUNTIME_SIDE)
    seen = {
        (str(path.relative_to(SERVER)), module)
        for path in SERVER.rglob("*.py")
        for module in _imports(path)
        if module.startswith(tuple(f"{name}." for name in forbidden)) or module in forbidden
    }
    assert seen == ALLOWED


def test_making_the_app_loads_neither_runtime_nor_gevent() -> None:
    loaded = _loaded_by("clawtap_core.server.app")
    forbidden = ("clawtap_core.runtime", "clawtap_core.journal", "clawtap_core.terminal")
    assert not [name for name in loaded if name.startswith((*forbidden, "gevent", "libtmux"))]


def test_naming_the_process_entry_loads_no_flask() -> None:
    assert "flask" not in _loaded_by("clawtap_core.server.entry")


def _loaded_by(module: str) -> list[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return run.stdout.split()
