"""The page's ES modules as one script: requests cost a phone more than bytes."""

from __future__ import annotations

import re
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

from webui.assets.digest import STATIC

SCRIPT = "js/all.js"
_MODULES = STATIC / "js"
_IMPORT = re.compile(r'^import (?:(?P<names>{[^}]*}) from )?"\./(?P<module>\w+)\.js";$', re.M)
# A phone has no use for them.
_COMMENTS = re.compile(r"^ *(?://.*|/\*\*.*\*/)\n", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)


@lru_cache(maxsize=4)
def script(folder: Path = _MODULES) -> str:
    """Return the modules, each in its own scope and after those that it imports.

    Raises graphlib.CycleError where two import each other.
    """
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.js"))}
    needs = {
        name: [match["module"] for match in _IMPORT.finditer(text)] for name, text in texts.items()
    }
    return "\n".join(_scoped(name, texts[name]) for name in TopologicalSorter(needs).static_order())


def _scoped(name: str, text: str) -> str:
    def destructured(statement: re.Match[str]) -> str:
        return f"const {statement['names']} = ${statement['module']};" if statement["names"] else ""

    exports = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(destructured, _COMMENTS.sub("", text)))
    return f"const ${name} = (() => {{\n{body}return {{ {exports} }};\n}})();"
