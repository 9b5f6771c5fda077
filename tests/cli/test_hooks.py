from __future__ import annotations

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.journal.folder import make_private


def test_hooks_are_not_installed_into_a_folder_that_serve_would_refuse(
    run, tmp_path, monkeypatch
) -> None:
    """Else `hooks install` succeeds, and no server ever runs where its hooks look for one."""
    home, folder = tmp_path / "home", tmp_path / "shared"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    folder.mkdir(mode=0o755)
    (folder / "holiday.jpg").write_text("")
    with pytest.raises(Unavailable):
        make_private(folder)
    done = run("hooks", "install", "--adapter", "claude", "--data-dir", str(folder))
    assert (done.exit_code, "data_dir_not_private" in done.stderr) == (1, True)
    assert not (home / ".claude" / "settings.json").exists()
    assert [path.name for path in folder.iterdir()] == ["holiday.jpg"]


def test_a_folder_where_hooks_were_installed_is_clawtaps_own(run, tmp_path, monkeypatch) -> None:
    home, folder = tmp_path / "home", tmp_path / "data"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    folder.mkdir(mode=0o755)
    done = run("hooks", "install", "--adapter", "claude", "--data-dir", str(folder))
    assert done.exit_code == 0, done.output
    folder.chmod(0o755)
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
