"""Which tmux will do."""

from __future__ import annotations

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.terminal.tmux import TmuxTerminal
from clawtap_core.terminal.version import check_version, installed_version, parse_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("tmux 3.3a", (3, 3)),
        ("3.2", (3, 2)),
        ("tmux next-3.5", (3, 5)),
        ("tmux 3.10-rc", (3, 10)),
        ("tmux openbsd-7.3", None),
        ("tmux master", None),
    ],
)
def test_versions_that_will_do(text, version):
    assert parse_version(text) == version
    check_version(text)


@pytest.mark.parametrize("text", ["tmux 3.1c", "tmux 2.9a", "tmux 1.8", "tmux next-3.1"])
def test_a_tmux_that_is_too_old_is_refused(text):
    with pytest.raises(Unavailable, match=r"needs tmux 3\.2") as caught:
        check_version(text)
    assert caught.value.code == "tmux_too_old"


def test_a_missing_tmux_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="install it") as caught:
        TmuxTerminal("unused")
    assert caught.value.code == "tmux_missing"


def test_an_old_tmux_on_the_path_is_refused_at_the_start(tmp_path, monkeypatch):
    old = tmp_path / "tmux"
    old.write_text("#!/bin/sh\necho tmux 3.0a\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(Unavailable) as caught:
        TmuxTerminal("unused")
    assert caught.value.code == "tmux_too_old"


def test_the_installed_version_is_reported():
    assert installed_version().startswith("tmux ")
