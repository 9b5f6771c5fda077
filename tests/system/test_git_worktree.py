"""Which folders are working trees of one repository, as Git writes it down."""

from __future__ import annotations

import os
import subprocess

import pytest

from clawtap_core.system.git_worktree import working_tree

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
    first, below = working_tree(str(project)), working_tree(str(project / "deep" / "er"))
    assert first == below
    assert (first.root, first.repository) == (project, project / ".git")
    second = working_tree(str(tmp_path / "beside" / "below"))
    assert (second.root, second.repository) == (tmp_path / "beside", project / ".git")
    assert first.is_beside(second)
    assert not first.is_beside(below)


@pytest.mark.process
def test_a_repository_inside_another_one_is_its_own(project):
    git(project / "deep", "init", "--quiet")
    inner = working_tree(str(project / "deep" / "er"))
    assert inner.repository == project / "deep" / ".git"
    assert not inner.is_beside(working_tree(str(project)))


def test_a_folder_without_a_repository_is_in_that_of_the_folder_above(tmp_path):
    above = working_tree(str(tmp_path.parent))
    assert working_tree(str(tmp_path)) == above
    assert working_tree(str(tmp_path / "gone")) == above


def test_what_stands_in_place_of_git_s_file_holds_nobody_up(tmp_path):
    above = working_tree(str(tmp_path.parent))
    os.mkfifo(tmp_path / ".git")
    assert working_tree(str(tmp_path)) == above
    (tmp_path / ".git").unlink()
    for written in (b"gitdir: \xff\n", b"gitdir: a\0b\n", b"gitdir: \n", b"gitdir: a\nb\n"):
        (tmp_path / ".git").write_bytes(written)
        assert working_tree(str(tmp_path)) == above
    for character in ("\0", "\ud800"):
        assert working_tree(f"{tmp_path}{character}") is None
