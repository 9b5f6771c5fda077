from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import clawtap_core
from clawtap_core import errors
from clawtap_core.errors import ErrorCode

ROOT = Path(clawtap_core.__file__).parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").partition("## Error codes")[2]
ROWS = re.findall(r"^\| (`[^|]+`) \|(?: (\d+) \|)? .+ \|$", PAGE, re.MULTILINE)
DOCUMENTED = {code: status for cell, status in ROWS for code in re.findall(r"`(\w+)`", cell)}
SOURCES = [
    *(ROOT / "clawtap_core").rglob("*.py"),
    *(ROOT / "webui").rglob("*.py"),
    *(ROOT / "plugins").glob("*/src/**/*.py"),
]
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.ClawTapError)
}


@functools.cache
def _errors() -> list[tuple[str, str, ast.Call]]:
    """Each place that makes an error: where, the class, the call."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}", _name(node.func), node)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _name(node.func) in KINDS
    ]


def _codes() -> Iterator[tuple[str, str, ast.expr]]:
    """Each place that makes an error with a code: where, the class, the code."""
    for place, name, call in _errors():
        for keyword in call.keywords:
            if keyword.arg == "code":
                yield place, name, keyword.value


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def test_the_docs_list_every_code() -> None:
    assert set(DOCUMENTED) == {str(code) for code in ErrorCode}
    assert len(ROWS) == len({cell for cell, _ in ROWS})


def test_no_error_is_raised_with_a_code_of_its_own_making() -> None:
    literal = [
        place for place, _, code in _codes() if isinstance(code, (ast.Constant, ast.JoinedStr))
    ]
    assert literal == []


def test_the_documented_status_is_the_one_that_is_sent() -> None:
    for place, name, code in _codes():
        status = DOCUMENTED.get(_name(code).lower())
        if status and not place.startswith("clawtap_core/cli/") and name != "UsageError":
            assert KINDS[name].status == int(status), place


def test_every_code_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    used = set(re.findall(r"\bErrorCode\.([A-Z_]+)", source))
    prompt_ends = {
        f"PROMPT_{end}" for end in ("EXPIRED", "CANCELLED", "FAILED", "ANSWERED_ELSEWHERE")
    }
    assert used | prompt_ends == {code.name for code in ErrorCode}


@pytest.mark.parametrize("kind", KINDS.values())
def test_an_error_without_a_code_has_that_of_its_class(kind: type[errors.ClawTapError]) -> None:
    assert kind("x").code == str(kind.default_code)
    assert kind("x", code="code_of_a_plugin").code == "code_of_a_plugin"


def test_a_sentence_starts_in_lower_case_and_has_no_full_stop() -> None:
    """One line of a log, a terminal or a page: they put it into sentences of their own."""
    wrong = []
    for place, _, call in _errors():
        texts = [part.value for part in _parts(call.args[0])] if call.args else []
        if texts and (texts[0][:1].isupper() or texts[-1].endswith(".")):
            wrong.append(f"{place}: {texts[0]}")
    assert wrong == []


def _parts(node: ast.expr) -> list[ast.Constant]:
    """The literal start and end of a message, where they are literal."""
    if isinstance(node, ast.JoinedStr):
        ends = (node.values[0], node.values[-1])
        return [part for part in ends if isinstance(part, ast.Constant)]
    return [node] if isinstance(node, ast.Constant) else []
