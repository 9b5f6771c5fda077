"""A floor imports only floors below it, and the server meets the runtime only in Transport.

docs/floors.toml names the floors. `python tests/test_floors.py` writes its table into
docs/architecture.md again.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import tomlkit

CHECKOUT = Path(__file__).parents[1]
CORE = CHECKOUT / "clawtap_core"
ARCHITECTURE = CHECKOUT / "docs" / "architecture.md"
FLOORS = tomlkit.parse((CHECKOUT / "docs" / "floors.toml").read_text()).unwrap()["floor"]
HEIGHT = {
    room: len(FLOORS) - depth for depth, floor in enumerate(FLOORS) for room in floor["rooms"]
}
TABLE = re.compile(r"(?<=<!-- floors -->\n).*?(?=<!-- /floors -->)", re.DOTALL)


def modules() -> list[Path]:
    return [path for path in sorted(CORE.rglob("*.py")) if path != CORE / "__init__.py"]


def room_of(path: Path) -> str:
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            room = rest.partition(".")[0]
            if package == "clawtap_core" and room in HEIGHT:
                rooms.add(room)
    return rooms


def floor_table() -> str:
    rows = ["| rooms | job |", "|---|---|"]
    for floor in FLOORS:
        rows.append(f"| {', '.join(f'`{room}`' for room in floor['rooms'])} | {floor['job']} |")
    return "\n".join(rows) + "\n"


def test_every_module_stands_on_a_floor() -> None:
    assert {room_of(path) for path in modules()} - HEIGHT.keys() == set()


def test_no_module_imports_from_above() -> None:
    above = {
        f"{path.relative_to(CORE)} imports {room}"
        for path in modules()
        for room in imported_rooms(path)
        if HEIGHT[room] > HEIGHT[room_of(path)]
    }
    assert above == set()


def test_the_server_reaches_the_runtime_through_transport_only() -> None:
    beyond = {"runtime", "terminal", "journal", "prompts"}
    reached = {
        (path.name, room)
        for path in (CORE / "server").rglob("*.py")
        for room in imported_rooms(path) & beyond
    }
    # The process entry opens the runtime; nothing else of the server knows of it.
    assert reached <= {("serve.py", "runtime")}


def test_the_architecture_page_shows_the_floors() -> None:
    table = TABLE.search(ARCHITECTURE.read_text())
    assert table, "docs/architecture.md has no <!-- floors --> table"
    assert table[0] == floor_table(), "run `python tests/test_floors.py`"


if __name__ == "__main__":
    ARCHITECTURE.write_text(
        TABLE.sub(floor_table().replace("\\", "\\\\"), ARCHITECTURE.read_text())
    )
