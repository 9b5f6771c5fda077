"""Hooks go into settings and out again, and leave everything else as it was."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.cli_hooks import installer as installer_module
from clawtap_core.cli_hooks.bridge import bridge_path
from clawtap_core.cli_hooks.installer import Installer
from clawtap_core.errors import ClawTapError, Conflict, Impossible
from clawtap_core.model import HookConfig

THEIRS = {
    "theme": "dark",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    "schön": [1, 2],
}
WRITINGS = {
    "two spaces": json.dumps(THEIRS, indent=2) + "\n",
    "tabs, no end": json.dumps(THEIRS, indent="\t"),
    "one line": json.dumps(THEIRS),
    "odd": '{\n "theme":"dark" ,\n\n "hooks": {"Stop": []},  "n": 1.50 }\n\n',
    "empty table": "{}",
    "crlf": json.dumps(THEIRS, indent=2).replace("\n", "\r\n"),
    "bom": "\ufeff" + json.dumps(THEIRS, indent=4),
}
TOML = '# mine\nmodel = "m"   # note\n\n[features]\nother = false\n\n[[list]]\na = 1\n'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".cli").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def installer(data: Path, home: Path) -> Installer:
    return Installer(data, home)


@pytest.fixture
def settings(home: Path) -> Path:
    return home / ".cli" / "settings.json"


def entry(data: Path, event: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": f"{bridge_path(data)} cli {event}"}]}


def config(data: Path, *events: str, path: str = ".cli/settings.json") -> HookConfig:
    hooks = {event: [entry(data, event)] for event in events or ("Stop", "Start")}
    return HookConfig(path, {"hooks": hooks})


def toml(data: Path) -> HookConfig:
    more = HookConfig(".cli/config.toml", {"features": {"hooks": True}})
    return HookConfig(".cli/hooks.json", config(data).settings, also=(more,))


def test_hooks_of_another_data_folder_are_named(installer, data, settings, tmp_path):
    other = tmp_path / "other"
    Installer(other, tmp_path / "home").install("cli", config(other))
    assert installer.status("cli").note == ""
    seen = installer.status("cli", config(data))
    assert (seen.state, str(other) in seen.note) == ("absent", True)
    installer.install("cli", config(data))
    seen = installer.status("cli", config(data))
    assert (seen.state, str(other) in seen.note, str(data) in seen.note) == (
        "installed",
        True,
        False,
    )
    assert installer.status("another", config(data)).note == ""
    settings.write_text("{ // no JSON")
    assert Installer(tmp_path / "third", tmp_path / "home").status("cli", config(data)).note == ""


@pytest.mark.parametrize("text", WRITINGS.values(), ids=WRITINGS)
def test_uninstall_gives_back_the_very_bytes(installer, data, settings, text):
    settings.write_bytes(text.encode())
    settings.chmod(0o640)
    assert installer.install("cli", config(data)).state == "installed"
    assert settings.read_bytes() != text.encode()
    assert installer.status("cli").state == "installed"
    assert installer.uninstall("cli").state == "absent"
    assert settings.read_bytes() == text.encode()
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert installer.status("cli").state == "absent"
    assert list((data / "hooks" / "backup").iterdir()) == []


def test_what_was_there_stays_beside_ours(installer, data, settings):
    settings.write_text(json.dumps(THEIRS, indent=2))
    installer.install("cli", config(data))
    found = json.loads(settings.read_text())
    assert found["theme"] == "dark"
    assert found["hooks"]["Stop"] == [*THEIRS["hooks"]["Stop"], entry(data, "Stop")]
    assert found["hooks"]["Start"] == [entry(data, "Start")]
    assert list(found) == list(THEIRS)


def test_a_file_that_was_not_there_is_gone_again_with_its_folders(installer, data, home):
    where = ".new/deep/settings.json"
    installer.install("cli", config(data, path=where))
    assert (home / where).exists()
    installer.uninstall("cli")
    assert not (home / ".new").exists()


def test_twice_installed_is_once_installed(installer, data, settings):
    before = json.dumps(THEIRS, indent=2)
    settings.write_text(before)
    installer.install("cli", config(data))
    once = settings.read_bytes()
    installer.install("cli", config(data))
    assert settings.read_bytes() == once
    installer.uninstall("cli")
    assert settings.read_text() == before


def test_another_version_of_ours_takes_the_place_of_the_first(installer, data, settings):
    settings.write_text(json.dumps(THEIRS))
    installer.install("cli", config(data, "Stop", "Old"))
    installer.install("cli", config(data, "Stop", "New"))
    hooks = json.loads(settings.read_text())["hooks"]
    assert list(hooks) == ["Stop", "New"]
    installer.uninstall("cli")
    assert settings.read_text() == json.dumps(THEIRS)


def test_what_somebody_changed_meanwhile_stays(installer, data, settings):
    settings.write_text(json.dumps(THEIRS, indent=2))
    installer.install("cli", config(data))
    found = json.loads(settings.read_text())
    found["theme"] = "light"
    found["hooks"]["Start"].append({"hooks": [{"command": "mine"}]})
    settings.write_text(json.dumps(found, indent=2))
    assert installer.status("cli").state == "installed"
    installer.uninstall("cli")
    assert json.loads(settings.read_text()) == {
        **THEIRS,
        "theme": "light",
        "hooks": {**THEIRS["hooks"], "Start": [{"hooks": [{"command": "mine"}]}]},
    }


def test_a_file_that_somebody_took_away_stays_away(installer, data, settings):
    settings.write_text("{}")
    installer.install("cli", config(data))
    settings.unlink()
    assert installer.status("cli").state == "changed"
    installer.uninstall("cli")
    assert not settings.exists()


def test_hooks_that_somebody_took_out_are_seen_to_be_missing(installer, data, settings):
    settings.write_text("{}")
    installer.install("cli", config(data))
    settings.write_text("{}")
    assert installer.status("cli").state == "changed"
    installer.install("cli", config(data))
    assert installer.status("cli").state == "installed"


@pytest.mark.parametrize(
    ("text", "why"), [('{"hooks": "none"}', "hooks holds something else"), ("{", "cannot be read")]
)
def test_settings_that_hooks_no_longer_fit_into_are_said_to_be_changed(
    installer, data, settings, text, why
):
    installer.install("cli", config(data))
    settings.write_text(text)
    status = installer.status("cli", config(data))
    assert status.state == "changed"
    assert why in status.note


def test_a_lost_backup_costs_nothing(installer, data, settings):
    settings.write_text(json.dumps(THEIRS))
    installer.install("cli", config(data))
    for copy in (data / "hooks" / "backup").iterdir():
        copy.unlink()
    installer.uninstall("cli")
    assert json.loads(settings.read_text()) == THEIRS


def test_a_link_stays_a_link(installer, data, settings, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text('{"a": 1}')
    settings.symlink_to(real)
    installer.install("cli", config(data))
    assert settings.is_symlink()
    assert "bridge" in real.read_text()
    installer.uninstall("cli")
    assert settings.is_symlink()
    assert real.read_text() == '{"a": 1}'


@pytest.mark.parametrize(
    "text", ['{"a": 1, // why\n}', "{", "[1]", "\xff\xfe", '"text"'], ids=str.__repr__
)
def test_what_cannot_be_read_is_not_touched(installer, data, settings, text):
    settings.write_bytes(text.encode("latin-1"))
    with pytest.raises(Impossible) as caught:
        installer.install("cli", config(data))
    assert caught.value.code == "settings_unreadable"
    assert settings.read_bytes() == text.encode("latin-1")
    assert installer.status("cli").state == "absent"


@pytest.mark.parametrize("there", [{"hooks": "none"}, {"hooks": {"Stop": {}}}])
def test_settings_of_another_shape_are_not_overwritten(installer, data, settings, there):
    settings.write_text(json.dumps(there))
    with pytest.raises(Conflict, match=str(settings)):
        installer.install("cli", config(data))
    assert json.loads(settings.read_text()) == there


def test_settings_that_are_a_list_are_said_to_be_one(installer, data, settings):
    settings.write_text("[]")
    with pytest.raises(Impossible, match="it is a list, not an object") as caught:
        installer.install("cli", config(data))
    assert "comments" not in caught.value.message


def test_tables_of_toml_keep_their_comments_and_come_back(installer, data, home):
    path = home / ".cli" / "config.toml"
    path.write_text(TOML)
    installer.install("cli", toml(data))
    text = path.read_text()
    assert "hooks = true" in text
    assert '# mine\nmodel = "m"   # note' in text
    installer.uninstall("cli")
    assert path.read_text() == TOML
    assert not (home / ".cli" / "hooks.json").exists()


def test_what_a_cli_wrote_into_its_toml_stays(installer, data, home):
    path = home / ".cli" / "config.toml"
    path.write_text('a = "b"\n')
    installer.install("cli", toml(data))
    path.write_text(path.read_text() + '\n[projects."/p"]\ntrust = "yes" # kept\n')
    installer.uninstall("cli")
    text = path.read_text()
    assert '[projects."/p"]\ntrust = "yes" # kept' in text
    assert "features" not in text


def test_a_value_that_was_set_otherwise_is_set_back(installer, data, home):
    path = home / ".cli" / "config.toml"
    path.write_text("[features]\nhooks = false\n")
    installer.install("cli", toml(data))
    path.write_text(path.read_text() + "\nnew = 1\n")
    installer.uninstall("cli")
    assert "hooks = false" in path.read_text()


def test_a_write_that_fails_leaves_the_file_whole(installer, data, settings, monkeypatch):
    settings.write_text(json.dumps(THEIRS))

    def fails(*arguments):
        raise PermissionError(13, "Permission denied", str(settings))

    monkeypatch.setattr(installer_module, "replace_file", fails)
    with pytest.raises(ClawTapError) as caught:
        installer.install("cli", config(data))
    assert caught.value.code == "settings_not_writable"
    assert json.loads(settings.read_text()) == THEIRS


def test_a_file_that_is_written_at_the_same_time_is_not_lost(
    installer, data, settings, monkeypatch
):
    settings.write_text("{}")
    real, first = installer_module.read_file, [True]

    def read(path):
        found = real(path)
        if first and path == settings:
            first.clear()
            settings.write_text('{"theirs": 1}')
        return found

    monkeypatch.setattr(installer_module, "read_file", read)
    installer.install("cli", config(data))
    assert json.loads(settings.read_text())["theirs"] == 1


def test_everything_of_ours_is_private(installer, data, settings):
    settings.write_text("{}")
    installer.install("cli", config(data))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.rglob("*")}
    others = {mode for name, mode in modes.items() if name not in ("bridge", "hooks", "backup")}
    assert others == {0o600}
    assert (modes["bridge"], modes["hooks"], modes["backup"]) == (0o700, 0o700, 0o700)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
