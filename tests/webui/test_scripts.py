"""The page's scripts: the pure ones tested by node, all of them within their budget."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE.parents[1] / "webui" / "static" / "js").glob("*.js"))
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_pure_modules_do_what_they_say() -> None:
    files = [str(path) for path in sorted((HERE / "js").glob("*.test.mjs"))]
    done = subprocess.run(
        [str(NODE), "--no-warnings", "--test", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_no_script_outgrows_its_budget() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in SCRIPTS}
    assert max(lengths.values()) <= 200, lengths
    assert sum(lengths.values()) <= 2000


def test_no_script_or_sheet_loads_anything_from_elsewhere() -> None:
    static = HERE.parents[1] / "webui" / "static"
    for path in [*static.rglob("*.js"), *static.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert "http://" not in text, path
        assert "https://" not in text, path
        assert "eval(" not in text, path
