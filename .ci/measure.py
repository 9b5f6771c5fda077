#!/usr/bin/env python3
"""Measure the code's shape: `make measure`, or against another commit `make measure ARGS=REV`.

Library code only (clawtap_core, webui, plugins/*/src); tests are counted in lines alone.
"""

from __future__ import annotations

import ast
import collections
import io
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
VAGUE = frozenset(("told", "found", "given", "said", "known", "wanted", "one", "each", "made"))
"""Words that name nothing: allowed for a value that lives for no more than two lines."""
RUN = 6


def library(root: Path) -> list[Path]:
    """Return the modules that are shipped, in order."""
    folders = [root / "clawtap_core", root / "webui", *sorted(root.glob("plugins/*/src"))]
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return a function's lines of code, without its docstring."""
    body = function.body
    docstring = ast.get_docstring(function) is not None
    skipped = (body[0].end_lineno or 0) - body[0].lineno + 1 if docstring else 0
    return (function.end_lineno or 0) - function.lineno + 1 - skipped


def vague_names(tree: ast.AST) -> list[tuple[str, int]]:
    """Return (name, line) of definitions, parameters and longer-lived variables in VAGUE."""
    vague: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name.lower() in VAGUE:
            vague.append((node.name, node.lineno))
    for function in functions(tree):
        if function.name.strip("_") in VAGUE:
            vague.append((function.name, function.lineno))
        lives: dict[str, list[int]] = collections.defaultdict(list)
        for node in ast.walk(function):
            if isinstance(node, ast.arg) and node.arg in VAGUE:
                vague.append((node.arg, node.lineno))
            elif isinstance(node, ast.Name) and node.id in VAGUE:
                lives[node.id].append(node.lineno)
        parameters = {
            argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)
        }
        vague += [
            (name, lines[0])
            for name, lines in lives.items()
            if name not in parameters and max(lines) - min(lines) > 2
        ]
    return vague


def called_once(trees: dict[Path, ast.Module]) -> tuple[int, int]:
    """Return how many private functions there are, and how many of them are used in one place."""
    private = used_once = 0
    for tree in trees.values():
        uses = collections.Counter(
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(tree)
            if isinstance(node, (ast.Attribute, ast.Name))
        )
        for function in functions(tree):
            if function.name.startswith("_") and not function.name.startswith("__"):
                private += 1
                used_once += uses[function.name] == 1
    return private, used_once


def module_name(path: Path, root: Path) -> str:
    """Return the name by which a module is imported."""
    parts = path.relative_to(root).with_suffix("").parts
    parts = parts[parts.index("src") + 1 :] if "src" in parts else parts
    return ".".join(parts).removesuffix(".__init__")


def module_imports(trees: dict[Path, ast.Module], root: Path) -> set[tuple[str, str]]:
    """Return (importer, imported) of our own modules, type-only imports included."""
    modules = {module_name(path, root) for path in trees}
    arrows = set()
    for path, tree in trees.items():
        importer = module_name(path, root)
        for node in ast.walk(tree):
            targets = []
            if isinstance(node, ast.ImportFrom) and node.module:
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [name if name in modules else node.module for name in full]
            elif isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            arrows |= {(importer, name) for name in targets if name in modules - {importer}}
    return arrows


def package_imports(trees: dict[Path, ast.Module], root: Path) -> set[tuple[str, str]]:
    """Return the arrows between folders, without those from a package to its own folders."""
    packages = {module_name(path, root) for path in trees if path.name == "__init__.py"}

    def package_of(module: str) -> str:
        return module if module in packages else module.rpartition(".")[0] or module

    arrows = {(package_of(a), package_of(b)) for a, b in module_imports(trees, root)}
    return {
        (a, b)
        for a, b in arrows
        if not f"{a}.".startswith(f"{b}.") and not f"{b}.".startswith(f"{a}.")
    }


def circles(arrows: set[tuple[str, str]]) -> int:
    """Return how many rooms can be reached from themselves."""
    targets = collections.defaultdict(set)
    for importer, imported in arrows:
        targets[importer].add(imported)

    def reachable(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            unseen = targets[todo.pop()] - seen
            seen |= unseen
            todo += unseen
        return seen

    return sum(room in reachable(room) for room in list(targets))


def import_lines(tree: ast.AST) -> set[int]:
    """Return the lines of imports, which may span several."""
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {line for node in imports for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def duplicates(paths: list[Path]) -> int:
    """Return how many runs of six or more equal lines stand in two places."""
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = collections.defaultdict(list)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        imported = import_lines(ast.parse(text))
        rows = [
            row.strip()
            for number, row in enumerate(text.splitlines(), 1)
            if len(row.strip()) > 3 and number not in imported and not row.strip().startswith("#")
        ]
        for start in range(len(rows) - RUN + 1):
            places[tuple(rows[start : start + RUN])].append((path, start))
    starts = {tuple(sorted(where)[:2]) for where in places.values() if 1 < len(where) <= 8}
    return sum(
        ((first[0], first[1] - 1), (second[0], second[1] - 1)) not in starts
        for first, second in starts
    )


def comment_lines(paths: list[Path]) -> int:
    """Return the lines that are comments or end in one."""
    total = 0
    for path in paths:
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        total += sum(token.type == tokenize.COMMENT for token in tokens)
    return total


def measure(root: Path) -> dict[str, str]:
    """Return the figures of a checkout, each as the text that stands in the table."""
    paths = library(root)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    lengths = sorted(length(one) for tree in trees.values() for one in functions(tree))
    private, used_once = called_once(trees)
    tests = [*root.glob("tests/**/*.py"), *root.glob("plugins/*/tests/**/*.py")]
    test_lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in tests)
    everything = sum(lines.values())
    words = sum(
        len((ast.get_docstring(node) or "").split())
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    )
    return {
        "modules": f"{len(paths)}",
        "lines": f"{everything:,}",
        "lines of tests": f"{test_lines:,}",
        "lines a module, median / p90 / longest": _spread(sorted(lines.values())),
        "functions": f"{len(lengths):,}",
        "lines a function, median / p90 / longest": _spread(lengths),
        "private functions used once": f"{used_once:,} of {private:,} ({used_once / private:.0%})",
        "comments, share of lines": f"{comment_lines(paths) / everything:.1%}",
        "words in docstrings": f"{words:,}",
        "names that name nothing": f"{sum(len(vague_names(tree)) for tree in trees.values()):,}",
        "runs of six equal lines": f"{duplicates(paths)}",
        "imports between packages": f"{len(package_imports(trees, root))}",
        "packages in an import circle": f"{circles(package_imports(trees, root))}",
        "modules in an import circle": f"{circles(module_imports(trees, root))}",
    }


def _spread(values: list[int]) -> str:
    return f"{statistics.median(values):.0f} / {values[len(values) * 9 // 10]} / {values[-1]}"


def measure_commit(revision: str) -> dict[str, str]:
    """Return the figures of a commit; end with one sentence if there is no such commit."""
    command = ("git", "-C", str(CHECKOUT), "archive", "--end-of-options", revision)
    archive = subprocess.run(command, capture_output=True)
    if archive.returncode:
        sys.exit(f"no such commit: {revision!r}; pass one that `git log` lists")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        return measure(Path(folder))


def main(argv: list[str]) -> None:
    """Print the table; with a commit, its figures stand first."""
    columns = {revision: measure_commit(revision) for revision in argv[:1]}
    columns["now"] = measure(CHECKOUT)
    print("| | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for figure in columns["now"]:
        print(f"| {figure} | " + " | ".join(column[figure] for column in columns.values()) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
