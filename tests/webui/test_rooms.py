"""The rooms of the webui: a module imports from its own room and those below, never above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

WEBUI = Path(__file__).parents[2] / "webui"
# Lowest first. `plugin` registers everything, so nothing imports it.
ROOMS = (
    "markup",
    "assets",
    "viewmodels",
    "rendering",
    "push",
    "submissions",
    "site",
    "views",
    "plugin",
)
MODULES = sorted(path for path in WEBUI.rglob("*.py") if path != WEBUI / "__init__.py")


def _name(path: Path) -> str:
    parts = path.relative_to(WEBUI.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


NAMES = {_name(path): path for path in MODULES}


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules of the webui that a module imports, late imports included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in (node.module, *inner) if name in NAMES)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in NAMES)


def _room(name: str) -> int:
    return ROOMS.index(name.split(".")[1])


def test_no_module_imports_from_a_room_above() -> None:
    above = {
        f"{name} imports {other}"
        for name, path in NAMES.items()
        for other in _imports(path)
        if _room(other) > _room(name)
    }
    assert above == set()


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: set(_imports(path)) - {name} for name, path in NAMES.items()}
    assert list(TopologicalSorter(graph).static_order())


def test_nothing_imports_the_plugin() -> None:
    assert [name for name, path in NAMES.items() if "webui.plugin" in _imports(path)] == []


def test_the_webui_knows_no_adapter_and_nothing_of_the_runtime() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert "import clawtap_claude" not in text, path
        for room in ("runtime", "terminal", "journal", "protocol", "host"):
            assert f"from clawtap_core.{room}" not in text, path
