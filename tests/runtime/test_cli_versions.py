"""What an installed CLI says of its version, also where it takes long to say so."""

from __future__ import annotations

import pytest
from fake_terminal import until

from clawtap_core.model import AdapterInfo
from clawtap_core.runtime import cli_versions


@pytest.fixture
def say(monkeypatch, tmp_path):
    """Has `slow --version` print these; None says nothing in time. Returns what it was granted."""
    program = tmp_path / "slow"
    program.write_text("")
    program.chmod(0o755)

    def says(*outputs):
        left, granted = list(outputs), []

        def output(*argv, seconds, env):
            granted.append(seconds)
            return left.pop(0)

        monkeypatch.setattr(cli_versions, "program_output", output)
        versions = cli_versions.CliVersions({"PATH": str(tmp_path)})
        info = AdapterInfo("slow", "Slow", commands=("slow",), version_argv=("slow", "--version"))
        return lambda: versions.version(info), granted

    return says


def test_a_cli_that_did_not_say_its_version_in_time_is_asked_again_with_more_patience(say):
    version, granted = say(None, "slow 1.2.3")
    assert until(version) == "1.2.3"
    assert version() == "1.2.3"
    assert granted == [20, 60]


def test_a_cli_that_never_says_its_version_is_not_asked_for_ever(say):
    version, granted = say(None, "no idea", None)
    until(lambda: version() or len(granted) == 3)
    assert version() is None
    assert len(granted) == 3


def test_a_cli_that_is_replaced_while_it_is_looked_for_has_no_version_yet(say, monkeypatch):
    version, granted = say()
    monkeypatch.setattr(cli_versions.shutil, "which", lambda *_, **__: "/nowhere/slow")
    assert version() is None
    assert granted == []
