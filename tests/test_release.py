"""A release names one version everywhere."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The release script on a copy of the files that it changes."""
    spec = importlib.util.spec_from_file_location("release", CHECKOUT / ".ci" / "release.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    paths = ["setup.cfg", "CHANGELOG.md", "clawtap_core/__init__.py"]
    paths += [str(path.relative_to(CHECKOUT)) for path in CHECKOUT.glob("plugins/*/setup.cfg")]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / path, tmp_path / path)
    monkeypatch.setattr(module, "CHECKOUT", tmp_path)
    answers = {"status": "", "tag": "", "branch": "main"}
    monkeypatch.setattr(module, "run", lambda *command: answers.get(command[1], "head"))
    return module


def test_the_core_and_every_plugin_get_the_version(release):
    texts = release.versions("4.5.6rc1")
    assert len(texts) == 2 + len(list(CHECKOUT.glob("plugins/*/setup.cfg")))
    for path, text in texts.items():
        assert len(re.findall(r"(?m)^(?:__)?version(?:__)? = \"?4\.5\.6rc1\"?$", text)) == 1, path


def test_the_changelog_gets_the_date(release):
    path = release.CHECKOUT / "CHANGELOG.md"
    path.write_text("# Changelog\n\n## 4.5.6 (unreleased)\n\n- All.\n")
    (text,) = release.changelog("4.5.6").values()
    assert re.search(r"(?m)^## 4\.5\.6 \(\d{4}-\d\d-\d\d\)$", text)


@pytest.mark.parametrize(
    "arguments", [[], ["--commit"], ["1.0"], ["v1.0.0"], ["1.0.0", "2.0.0"], ["--help"]]
)
def test_what_is_no_version_is_refused(release, arguments, capsys):
    assert release.main(arguments) == 2
    assert "usage:" in capsys.readouterr().err


def test_a_version_without_a_changelog_is_refused_and_nothing_changes(release, capsys):
    before = release.versions("0.1.0")
    assert release.main(["9.9.9"]) == 1
    assert "no heading '## 9.9.9 (unreleased)'" in capsys.readouterr().err
    assert release.versions("0.1.0") == before


def test_packages_that_do_not_work_leave_the_files_as_they_were(release, capfd):
    changelog = release.CHECKOUT / "CHANGELOG.md"
    changelog.write_text("## 4.5.6 (unreleased)\n")
    # There is no .ci/packages.py in the copy, so its run fails.
    assert release.main(["4.5.6"]) == 1
    assert "nothing was changed" in capfd.readouterr().err
    assert changelog.read_text() == "## 4.5.6 (unreleased)\n"
    assert "4.5.6" not in (release.CHECKOUT / "setup.cfg").read_text()


@pytest.mark.parametrize("commit", [False, True])
def test_only_a_release_that_is_asked_for_is_committed_and_tagged(
    release, monkeypatch, capsys, commit
):
    checked, ran = [], []
    monkeypatch.setattr(release, "build", lambda folder: None)
    monkeypatch.setattr(release.subprocess, "run", lambda command, **_: checked.append(command))
    answers = {"branch": "main"}
    monkeypatch.setattr(
        release, "run", lambda *command: ran.append(command[:2]) or answers.get(command[1], "")
    )
    changelog = release.CHECKOUT / "CHANGELOG.md"
    changelog.write_text("## 4.5.6 (unreleased)\n")
    assert release.main(["4.5.6", "--commit"] if commit else ["4.5.6"]) == 0
    assert checked[0][1] == release.CHECKOUT / ".ci" / "packages.py"
    assert (("git", "commit") in ran, ("git", "tag") in ran[2:]) == (commit, commit)
    assert ("4.5.6 (unreleased)" in changelog.read_text()) is not commit
    assert ("4.5.6" in (release.CHECKOUT / "setup.cfg").read_text()) is commit
    said = capsys.readouterr().out
    assert ("Nothing was committed" in said, "twine upload dist/4.5.6/" in said) == (
        not commit,
        commit,
    )
    assert ("git push origin main v4.5.6" in said) is commit


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"status": " M setup.cfg"}, "there are uncommitted changes"),
        ({"tag": "v4.5.6"}, "the tag v4.5.6 exists already"),
        ({"branch": ""}, "HEAD is detached"),
    ],
)
def test_a_tree_that_cannot_be_released_is_refused(release, monkeypatch, capsys, answers, words):
    known = {"status": "", "tag": "", "branch": "main", **answers}
    monkeypatch.setattr(release, "run", lambda *command: known.get(command[1], "head"))
    assert release.main(["4.5.6", "--commit"]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("failing", ["status", "commit", "tag"])
def test_what_git_refuses_is_a_sentence_and_is_undone(release, monkeypatch, capsys, failing):
    ran = []

    def run(*command):
        ran.append(command)
        if command[1] == failing and "--list" not in command:
            raise subprocess.CalledProcessError(128, command, stderr="fatal: who are you\n")
        return {"status": "", "tag": "", "branch": "main"}.get(command[1], "c0ffee")

    monkeypatch.setattr(release, "run", run)
    monkeypatch.setattr(release, "build", lambda folder: None)
    monkeypatch.setattr(release.subprocess, "run", lambda command, **_: None)
    changelog = release.CHECKOUT / "CHANGELOG.md"
    changelog.write_text("## 4.5.6 (unreleased)\n")
    assert release.main(["4.5.6", "--commit"]) == 1
    error = capsys.readouterr().err
    assert f"error: git {failing}" in error
    assert "fatal: who are you; nothing was changed" in error
    assert changelog.read_text() == "## 4.5.6 (unreleased)\n"
    assert (("git", "reset", "-q", "c0ffee") in ran) is (failing != "status")
