"""Mutation testing: change one thing in a module, and see whether its tests notice.

    python .ci/mutants.py            # all modules of MODULES
    python .ci/mutants.py identity   # those with this in their name

Each mutant runs in a fork of a process that has imported pytest and what the product depends on: a
second instead of ten. mutmut and cosmic-ray start a process for each, or need the project copied to
a folder, where plugins that are installed from theirs still import the unchanged core.
"""

from __future__ import annotations

import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
MODULES = {
    "clawtap_core/prompts/identity.py": "tests/prompts tests/runtime/test_current_prompt.py",
    "clawtap_core/prompts/broker.py": "tests/prompts/test_broker.py",
    "clawtap_core/server/auth.py": (
        "tests/server/test_access.py tests/server/test_hooks.py tests/server/test_roles.py"
    ),
    "clawtap_core/server/roles.py": "tests/server/test_roles.py",
    "clawtap_core/server/guards.py": "tests/server/test_guards.py",
    "clawtap_core/runtime/delivery/guards.py": "tests/runtime/test_guards.py",
    "clawtap_core/runtime/delivery/executor.py": (
        "tests/runtime/test_delivery.py tests/runtime/test_delivery_withheld.py"
        " tests/runtime/test_delivery_outcomes.py"
    ),
}
"""By module, the tests that should notice a change: quick ones, without tmux and real time."""
_COMPARE = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_BINARY = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.BitOr: ast.BitAnd}


@dataclass(frozen=True)
class Mutant:
    """A changed module: where, what it said and says, and its tree.

    `line` is that of the node: of a whole function where a statement of it is left out.
    """

    line: int
    was: str
    now: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    """Yield the module with each single change."""
    whole = ast.parse(source)
    # An annotation is no code.
    skipped = {id(each) for node in ast.walk(whole) for each in _annotations(node)}
    for at, node in enumerate(ast.walk(whole)):
        if id(node) in skipped:
            continue
        for change in range(len(_changes(node))):
            tree = copy.deepcopy(whole)
            target = next(each for index, each in enumerate(ast.walk(tree)) if index == at)
            was = ast.unparse(target)
            _changes(target)[change]()
            now = ast.unparse(ast.fix_missing_locations(tree) and target)
            yield Mutant(getattr(node, "lineno", 0), *_difference(was, now), tree)


def _difference(was: str, now: str) -> tuple[str, str]:
    """Return the first lines that differ."""
    lines = zip(was.splitlines(), now.splitlines(), strict=False)
    return next((pair for pair in lines if pair[0] != pair[1]), (was, now))


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    for field in ("annotation", "returns"):
        if isinstance(found := getattr(node, field, None), ast.AST):
            yield from ast.walk(found)


def _changes(node: ast.AST) -> list:
    """Return functions that change a node in one way each."""
    put = lambda name, value: lambda: setattr(node, name, value)  # noqa: E731
    found = []
    if isinstance(node, ast.Compare):
        new = _COMPARE.get(type(node.ops[0]))
        found += [put("ops", [new(), *node.ops[1:]])] if new else []
    elif isinstance(node, ast.BoolOp):
        found.append(put("op", ast.And() if isinstance(node.op, ast.Or) else ast.Or()))
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        found.append(put("op", _BINARY[type(node.op)]()))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        found.append(put("value", not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        found.append(put("value", node.value + 1))
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        found.append(put("test", ast.UnaryOp(ast.Not(), node.test)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        found.append(_drop_not(node))
    elif isinstance(node, ast.Return) and node.value and not _says_nothing(node.value):
        found.append(put("value", ast.Constant(None)))
    if isinstance(node, ast.FunctionDef | ast.If | ast.With | ast.For | ast.Try | ast.While):
        found += _dropped_statements(node)
    return found


def _drop_not(node: ast.UnaryOp) -> Callable[[], None]:
    def change() -> None:
        # `not x` becomes `not not x`.
        node.operand = ast.UnaryOp(ast.Not(), node.operand)

    return change


def _says_nothing(node: ast.expr) -> bool:
    """Return True for what says as much as None; False is changed to True by itself."""
    return isinstance(node, ast.Constant) and not node.value


def _dropped_statements(node: ast.AST) -> list:
    """Return functions that leave out one statement: a call, an assignment, a raise."""
    found = []
    for body in (getattr(node, "body", []), getattr(node, "orelse", [])):
        for at, statement in enumerate(body):
            plain = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if plain or isinstance(statement, ast.Raise | ast.Assign | ast.AugAssign):
                found.append(lambda body=body, at=at: body.__setitem__(at, ast.Pass()))
    return found


class Replaced(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a tree instead of its file."""

    def __init__(self, path: Path, tree: ast.Module) -> None:
        self.path, self.tree = path, tree
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts)

    def find_spec(
        self, name: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the module's spec, or None for any other."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code."""
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)  # noqa: S102


def passes(path: Path, mutant: Mutant, tests: str, seconds: float) -> bool | None:
    """Return whether the tests pass with this mutant, or None if they do not end in time."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        sys.meta_path.insert(0, Replaced(path, mutant.tree))
        import pytest

        # Nobody reads why a test failed, so its assertions need not say it.
        os._exit(pytest.main(["-x", "-q", "--assert=plain", *tests.split()]))
    end = time.monotonic() + seconds
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0:
        if time.monotonic() > end:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(0.02)
    return ended[1] == 0


def survivors(module: str, tests: str) -> Iterator[str]:
    """Yield each mutant that no test notices, and at last the count."""
    path = ROOT / module
    whole = path.read_text()
    began = time.monotonic()
    if not passes(path, Mutant(0, "", "", ast.parse(whole)), tests, 600):
        raise SystemExit(f"{module}: its tests fail without a change")
    # What is only slower must not pass for noticed.
    patience = 30 + 20 * (time.monotonic() - began)
    every, alive, endless = [*mutants(whole)], 0, 0
    for mutant in every:
        passed = passes(path, mutant, tests, patience)
        alive, endless = alive + (passed is True), endless + (passed is None)
        if passed is not False:
            said = f"{mutant.was.strip()}  ->  {mutant.now.strip()}"
            yield f"  {module}:{mutant.line}: {said}{'' if passed else ' (no end)'}"
    share = 100 * alive / max(1, len(every))
    yield f"{module}: {len(every)} mutants, {alive} survived ({share:.1f} %), {endless} did not end"


def main() -> None:
    """Try the mutants of every module that was named, or of all."""
    os.chdir(ROOT)
    # What mutants share is imported once; nothing of the product may be.
    shared = "flask flask_smorest gevent.pywsgi hypothesis marshmallow msgspec pytest requests"
    for name in shared.split():
        importlib.import_module(name)
    for module, tests in MODULES.items():
        if not sys.argv[1:] or any(word in module for word in sys.argv[1:]):
            for line in survivors(module, tests):
                print(line, flush=True)


if __name__ == "__main__":
    main()
