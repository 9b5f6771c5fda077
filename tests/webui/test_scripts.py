"""The page's scripts: the pure ones tested by node, all of them within their budget."""

from __future__ import annotations

import shutil
import subprocess
from graphlib import CycleError
from pathlib import Path

import pytest

from webui.assets.script import script

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


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_all_modules_together_are_one_script(tmp_path: Path) -> None:
    made = tmp_path / "all.mjs"
    made.write_text(script(), encoding="utf-8")
    done = subprocess.run([str(NODE), "--check", str(made)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = script().splitlines()
    assert [line for line in lines if line.lstrip().startswith(("import ", "export ", "//"))] == []
    assert all(f"const ${path.stem} = (() => {{" in lines for path in SCRIPTS)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_module_has_what_it_imports_and_names_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(
        'import { two } from "./b.js";\nimport "./c.js";\n'
        "const own = two() + 1;\nconsole.log(own);\n"
    )
    (tmp_path / "b.js").write_text("const own = 2;\nexport function two() {\n  return own;\n}\n")
    (tmp_path / "c.js").write_text('console.log("first");\n')
    done = subprocess.run([str(NODE), "-e", script(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "first\n3\n", done.stderr


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import "./b.js";\n')
    (tmp_path / "b.js").write_text('import "./a.js";\n')
    with pytest.raises(CycleError):
        script(tmp_path)


def test_no_script_outgrows_its_budget() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in SCRIPTS}
    assert max(lengths.values()) <= 200, lengths
    assert sum(lengths.values()) <= 2800


def test_no_script_or_sheet_loads_anything_from_elsewhere() -> None:
    static = HERE.parents[1] / "webui" / "static"
    for path in [*static.rglob("*.js"), *static.rglob("*.css")]:
        text = path.read_text(encoding="utf-8")
        assert "http://" not in text, path
        assert "https://" not in text, path
        assert "eval(" not in text, path
