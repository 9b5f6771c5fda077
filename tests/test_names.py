"""Names say what they name: words that could stand for anything are left to short-lived values."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = Path(__file__).parents[1]


def measuring_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("measure", CHECKOUT / ".ci" / "measure.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MEASURE = measuring_script()


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """Every module of the library, parsed once for the tests below."""
    paths = MEASURE.library(CHECKOUT)
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_no_name_could_stand_for_anything(trees: dict[Path, ast.Module]) -> None:
    vague = {
        f"{path.relative_to(CHECKOUT)}:{line}": name
        for path, tree in trees.items()
        for name, line in MEASURE.vague_names(tree)
    }
    assert vague == {}


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("def told(): ...", ["told"]),
        ("def parse(given): ...", ["given"]),
        ("def parse():\n    found = 1\n\n\n    return found", ["found"]),
        ("def parse():\n    found = 1\n    return found", []),
        ("def parse(text): ...", []),
    ],
)
def test_a_vague_name_is_noticed(code: str, names: list[str]) -> None:
    assert [name for name, _ in MEASURE.vague_names(ast.parse(code))] == names


def test_packages_import_each_other_in_no_circle(trees: dict[Path, ast.Module]) -> None:
    assert MEASURE.circles(MEASURE.package_imports(trees, CHECKOUT)) == 0
    assert MEASURE.circles(MEASURE.module_imports(trees, CHECKOUT)) == 0
