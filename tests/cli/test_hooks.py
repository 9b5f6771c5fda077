from __future__ import annotations

import pytest

from clawtap_core.cli import hooks
from clawtap_core.config import load_settings
from clawtap_core.errors import Unavailable
from clawtap_core.journal.folder import make_private
from clawtap_core.runtime.cli_versions import CliVersions


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


def test_hooks_and_serve_find_the_same_folder_by_the_same_settings(run, tmp_path, monkeypatch):
    home, named, by_variable = tmp_path / "home", tmp_path / "named", tmp_path / "variable"
    (home / ".claude").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    config = tmp_path / "conf" / "config.toml"
    config.parent.mkdir()
    config.write_text('data_dir = "../named"\n')
    done = run("hooks", "install", "--adapter", "claude", "--config", str(config))
    assert done.exit_code == 0, done.output
    assert f"No server runs with the data folder {config.parent / '../named'};" in done.output
    assert (named / "hooks" / "bridge").exists()
    assert load_settings(config_file=config).data_dir.samefile(named)
    monkeypatch.setenv("CLAWTAP_DATA_DIR", str(by_variable))
    assert run("hooks", "install", "--adapter", "claude", "--config", str(config)).exit_code == 0
    assert (by_variable / "hooks" / "bridge").exists()
    assert load_settings(config_file=config).data_dir == by_variable


@pytest.mark.parametrize("broken", ["claude", "gemini"])
def test_settings_that_cannot_be_read_stop_no_other_cli(run, tmp_path, monkeypatch, broken) -> None:
    home, folder = tmp_path / "home", str(tmp_path / "data")
    settings = {cli: home / f".{cli}" / "settings.json" for cli in ("claude", "gemini")}
    whole = settings["gemini" if broken == "claude" else "claude"]
    monkeypatch.setenv("HOME", str(home))
    for cli, path in settings.items():
        path.parent.mkdir(parents=True)
        assert run("hooks", "install", "--adapter", cli, "--data-dir", folder).exit_code == 0
    settings[broken].write_text("{ // mine\n")
    done = run("hooks", "uninstall", "--data-dir", folder)
    assert done.exit_code == 1
    assert f"{broken}: " in done.stderr
    assert str(settings[broken]) in done.stderr
    assert not whole.exists()
    assert settings[broken].read_text() == "{ // mine\n"
    settings[broken].write_text("{}")
    assert run("hooks", "uninstall", "--data-dir", folder).exit_code == 0


def test_an_adapter_whose_hooks_fail_stops_no_other_cli(run, tmp_path, monkeypatch) -> None:
    def hook_config(adapter, folder, version=None):
        return None if adapter.id == "claude" else made(adapter, folder, version)

    home, made = tmp_path / "home", hooks.hook_config
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(hooks, "hook_config", hook_config)
    monkeypatch.setattr(CliVersions, "installed", lambda versions, info: "1.0")
    done = run("hooks", "install", "--data-dir", str(tmp_path / "data"))
    assert done.exit_code == 1
    assert "claude: it has no hooks now" in done.stderr
    assert not (home / ".claude" / "settings.json").exists()
    assert (home / ".gemini" / "settings.json").exists()
