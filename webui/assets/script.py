"""Every module in one script, so that a page asks once: requests cost a phone more than bytes.

The modules stay plain ES modules; only what a browser is sent is put together, as the sheets are.
"""

from __future__ import annotations

import re
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

from webui.assets.digest import STATIC

SCRIPT = "js/all.js"
_MODULES = STATIC / "js"
_IMPORT = re.compile(r'^import (?:(?P<names>{[^}]*}) from )?"\./(?P<module>\w+)\.js";$', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)


@lru_cache(maxsize=4)
def script(folder: Path = _MODULES) -> str:
    """The modules, each in a scope of its own and after those that it imports.

    Raises graphlib.CycleError where two import each other.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}
    needs = {
        name: [one["module"] for one in _IMPORT.finditer(text)] for name, text in texts.items()
    }
    return "\n".join(_scoped(name, texts[name]) for name in TopologicalSorter(needs).static_order())


def _scoped(name: str, text: str) -> str:
    exports = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(_taken, text))
    return f"const ${name} = (() => {{\n{body}return {{ {exports} }};\n}})();"


def _taken(statement: re.Match[str]) -> str:
    return f"const {statement['names']} = ${statement['module']};" if statement["names"] else ""
