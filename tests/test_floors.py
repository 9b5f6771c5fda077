"""A floor imports only floors below it, and the two sides meet only in Transport."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "clawtap_core"
FLOORS = [
    {"errors", "model"},
    {"hookspecs", "system", "prompts", "protocol_io", "screens"},
    {"schemas"},
    {"host", "keystrokes"},
    {"cli_hooks", "journal", "terminal", "protocol", "transcripts", "config"},
    {"transport"},
    {"runtime"},
    {"server", "client"},
    {"cli", "testing"},
]
HEIGHT = {name: height for height, floor in enumerate(FLOORS) for name in floor}


def modules():
    return [path for path in sorted(CORE.rglob("*.py")) if path != CORE / "__init__.py"]


def part(path):
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imported(path):
    """The parts of the core that a module imports when it runs, with the import's depth."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            pieces = name.split(".")
            if pieces[0] == "clawtap_core" and len(pieces) > 1 and pieces[1] in HEIGHT:
                yield pieces[1]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(CORE)))
def test_a_module_imports_nothing_from_above(path):
    mine = part(path)
    assert mine in HEIGHT, f"{mine} stands on no floor"
    above = {name for name in imported(path) if HEIGHT[name] > HEIGHT[mine]}
    assert not above


def test_the_server_reaches_the_agent_side_through_transport_only():
    reached = {
        (path.name, name)
        for path in (CORE / "server").rglob("*.py")
        for name in imported(path)
        if name in ("runtime", "terminal", "journal", "prompts")
    }
    # The process entry opens the agent side; nothing else of the server knows of it.
    assert reached <= {("serve.py", "runtime")}
