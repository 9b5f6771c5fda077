"""Running ourselves again, from a folder that somebody else fills."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clawtap_core.system import own_program as module
from clawtap_core.system.own_program import own_program


@pytest.mark.process
@pytest.mark.parametrize("version", [(3, 10), (3, 11)])
def test_nothing_is_loaded_from_the_folder_where_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int]
) -> None:
    if version >= (3, 11) > module.sys.version_info:
        pytest.skip("this Python has no -P")
    (tmp_path / "click.py").write_text("print('from the folder')")
    monkeypatch.setattr(module.sys, "version_info", version)
    command = own_program("clawtap_core.cli")
    done = subprocess.run([*command, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert "from the folder" not in done.stdout
    assert done.returncode == 0, done.stderr
    assert "clawtap" in done.stdout.lower()
