#!/usr/bin/env python3
"""Write docs/adapter-api.md: what adapters are made of, from the code and its docstrings.

.ci/adapter_api.py
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from clawtap_core import hookspecs, keystrokes, model, screens

PAGE = Path(__file__).resolve().parents[1] / "docs" / "adapter-api.md"
# The hooks of other plugins than adapters.
_OTHERS = {"notify", "send_notice", "register_commands", "register_routes"}
_WIDTH = 96
SECTIONS = {
    "adapter": "What the adapter says of itself, and actions",
    "session": "Starting a CLI, and its state",
    "screen": "The screen",
    "ansi": "Styles",
    "prompt": "Prompts and answers",
    "steps": "Keys",
    "conversation": "Transcripts",
    "cli_hook": "CLI hooks",
    "protocol": "Protocols",
    "live_check": "The live check",
}
HEAD = """\
# The types and functions for adapters

[How to write an adapter](adapters.md) shows how they are used. This page is written from the code,
by `.ci/adapter_api.py`.

All values are in `clawtap_core` (`from clawtap_core import PromptForm, Option`). They are frozen:
`dataclasses.replace` makes a changed copy. Fields without a default are required.
"""


class _Raw(str):
    """An annotation that is printed as it is written."""

    __slots__ = ()
    __repr__ = str.__str__


def page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    types = {kind.__name__: kind for kind in hook_types()}
    for module, title in SECTIONS.items():
        found = [kind for kind in types.values() if kind.__module__.endswith(f".{module}")]
        parts += [f"## {title}\n", *(_entry(kind.__name__, kind) for kind in _in_order(found))]
    parts += _library(screens, "Reading a screen: `clawtap_core.screens`")
    parts += _library(keystrokes, "Answering: `clawtap_core.keystrokes`")
    return "\n".join(parts)


def hook_types() -> list[type]:
    """Return every type of the model that a hook of adapters takes or returns, or its fields."""
    found: dict[type, None] = {}
    for name, hook in vars(hookspecs).items():
        if hasattr(hook, "clawtap_spec") and name not in _OTHERS:
            for hint in get_type_hints(hook, localns=vars(model)).values():
                _add(hint, found)
    for each in (model.Step, model.AgentEvent):
        _add(each, found)
    return [*found]


def _add(hint: Any, found: dict[type, None]) -> None:
    for inner in get_args(hint):
        _add(inner, found)
    ours = isinstance(hint, type) and hint.__module__.startswith("clawtap_core.model.")
    if not ours or hint in found:
        return
    found[hint] = None
    members = [hint, *(member for _, member in _methods(hint))]
    for member in members:
        if not issubclass(hint, Enum):
            for field in get_type_hints(member, localns=vars(model)).values():
                _add(field, found)


def _in_order(kinds: list[type]) -> list[type]:
    """Sort the types of one module as they stand there."""
    return sorted(kinds, key=lambda kind: inspect.getsourcelines(kind)[1])


def _library(module: ModuleType, title: str) -> Iterator[str]:
    yield f"## {title}\n"
    for name in module.__all__:
        # What the functions note between two calls is theirs.
        if not name.endswith("Progress"):
            yield _entry(name, getattr(module, name))


def _entry(name: str, thing: Any) -> str:
    text = inspect.getdoc(thing) or ""
    code = "\n".join(_code(name, thing))
    return f"### {name}\n\n```python\n{code}\n```\n\n{text}\n"


def _code(name: str, thing: Any) -> Iterator[str]:
    if not isinstance(thing, type):
        yield _signature(name, thing)
    elif issubclass(thing, Enum):
        yield from (f"{name}.{member.name} = {_value(member.value)}" for member in thing)
    elif dataclasses.is_dataclass(thing):
        yield from (f"{name}(", *(f"    {_field(f)}," for f in dataclasses.fields(thing)), ")")
    else:
        yield f"class {name}:"
        yield from (f"    {line}" for line in _attributes(thing))
    if isinstance(thing, type) and not issubclass(thing, Enum):
        yield from (_signature(f".{method}", each) for method, each in _methods(thing))
        yield from (f".{each}" for each in _properties(thing))


def _attributes(kind: type) -> Iterator[str]:
    for name, hint in inspect.get_annotations(kind).items():
        yield f"{name}: {hint}"


def _methods(kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in vars(kind).items():
        member = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(member) and not name.startswith("_"):
            yield name, member


def _properties(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        getter = getattr(member, "fget", None) or getattr(member, "func", None)
        if getter and not name.startswith("_"):
            yield f"{name}: {inspect.signature(getter).return_annotation}"


def _field(field: dataclasses.Field[Any]) -> str:
    default = ""
    if field.default is not dataclasses.MISSING:
        default = f" = {_value(field.default)}"
    elif field.default_factory is not dataclasses.MISSING:
        default = f" = {field.default_factory()!r}"
    return f"{field.name}: {field.type}{default}"


def _value(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if dataclasses.is_dataclass(value):
        return f"{type(value).__name__}()"
    # The quotes of ruff, which formats the page as well.
    return value.__name__ if callable(value) else repr(value).replace("'", '"')


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    given = [
        parameter.replace(
            annotation=_annotation(parameter.annotation), default=_default(parameter.default)
        )
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    returns = _annotation(signature.return_annotation)
    line = f"{name}{signature.replace(parameters=given, return_annotation=returns)}"
    if len(line) <= _WIDTH:
        return line
    shown, star = [], False
    for parameter in given:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            star = True
            shown.append("*")
        shown.append(str(parameter))
    return "\n".join([f"{name}(", *(f"    {each}," for each in shown), f") -> {returns}"])


def _annotation(annotation: Any) -> Any:
    return _Raw(annotation) if isinstance(annotation, str) else annotation


def _default(default: Any) -> Any:
    known = isinstance(default, str | int | float | tuple | type(None))
    return default if default is inspect.Parameter.empty or known else _Raw(_value(default))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
