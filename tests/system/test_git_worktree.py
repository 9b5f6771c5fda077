"""Which folders are working trees of one repository, as Git writes it down."""

from __future__ import annotations

import os
import subprocess

import pytest

from clawtap_core.system.git_worktree import repository_of

WHO = ("-c", "user.name=lab", "-c", "user.email=lab@localhost")


def git(folder, *words):
    subprocess.run(("git", "-C", str(folder), *WHO, *words), check=True, capture_output=True)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "deep" / "er").mkdir(parents=True)
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "begin")
    return folder


@pytest.mark.process
def test_all_working_trees_and_the_folders_in_them_share_one_repository(project, tmp_path):
    git(project, "worktree", "add", "--quiet", str(tmp_path / "beside"))
    (tmp_path / "beside" / "below").mkdir()
    shared = repository_of(str(project))
    assert shared == project / ".git"
    for folder in (project / "deep" / "er", tmp_path / "beside", tmp_path / "beside" / "below"):
        assert repository_of(str(folder)) == shared


@pytest.mark.process
def test_a_repository_inside_another_one_is_its_own(project):
    git(project / "deep", "init", "--quiet")
    assert repository_of(str(project / "deep" / "er")) == project / "deep" / ".git"


def test_a_folder_without_a_repository_has_none(tmp_path):
    assert repository_of(str(tmp_path)) is None
    assert repository_of(str(tmp_path / "gone")) is None


def test_what_stands_in_place_of_git_s_file_holds_nobody_up(tmp_path):
    os.mkfifo(tmp_path / ".git")
    assert repository_of(str(tmp_path)) is None
    (tmp_path / ".git").unlink()
    (tmp_path / ".git").write_bytes(b"gitdir: \xff\n")
    assert repository_of(str(tmp_path)) is None
