"""The journal's file: restart, permissions, damage, and who else uses it."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from importlib.resources import files

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.journal import Change, SqliteJournal

HOLD = """
import sys
from pathlib import Path
from clawtap_core.journal import SqliteJournal
journal = SqliteJournal(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def filled(path, make):
    journal = SqliteJournal(path)
    journal.append([make.event()] * 500, Change((make.session(), make.prompt(), make.message())))
    epoch = journal.epoch
    journal.close()
    return epoch


def refused(path):
    with pytest.raises(Unavailable) as caught:
        SqliteJournal(path)
    return caught.value


def test_everything_is_there_after_a_restart(path, make):
    epoch = filled(path, make)
    again = SqliteJournal(path)
    assert again.epoch == epoch
    assert again.last == 500
    assert len(again.read(0, 1000)) == 500
    assert again.kept().sessions == (make.session(),)
    assert again.kept().prompts == (make.prompt(),)
    assert again.kept().queue == (make.message(),)
    assert again.append([make.event()])[0].seq == 501
    again.close()


def test_two_journals_have_two_epochs(tmp_path):
    one, other = SqliteJournal(tmp_path / "a" / "j.db"), SqliteJournal(tmp_path / "b" / "j.db")
    assert one.epoch != other.epoch
    one.close()
    other.close()


def test_numbers_go_on_after_everything_old_was_forgotten_and_a_restart(path, make):
    filled(path, make)
    journal = SqliteJournal(path)
    journal.prune(make.at(99))
    journal.close()
    again = SqliteJournal(path)
    assert again.append([make.event()])[0].seq == 501
    again.close()


def test_a_long_deletion_goes_in_pieces(file_journal, make):
    file_journal.append([make.event()] * 4500)
    assert file_journal.prune(make.at(1)) == 4499
    assert [event.seq for event in file_journal.read()] == [4500]


def test_only_the_owner_can_read_the_files(path, file_journal, make):
    file_journal.append([make.event()])
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    names = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert names.keys() >= {"journal.db", "journal.db-wal", "clawtap.lock"}
    assert set(names.values()) == {0o600}


def test_an_empty_folder_and_an_older_one_of_ours_are_made_private(path, make):
    path.parent.mkdir(mode=0o755)
    path.parent.chmod(0o755)
    filled(path, make)
    path.parent.chmod(0o755)
    path.chmod(0o644)
    SqliteJournal(path).close()
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_with_other_things_is_not_closed_to_others(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "notes.txt").write_text("mine")
    home.chmod(0o755)
    error = refused(home / "journal.db")
    assert error.code == "data_dir_not_private"
    assert str(home) in error.message
    assert stat.S_IMODE(home.stat().st_mode) == 0o755


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    error = refused(tmp_path / "file" / "data" / "journal.db")
    assert error.code == "data_dir_not_writable"
    assert str(tmp_path / "file" / "data") in error.message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    assert refused(folder / "journal.db").code == "data_dir_not_writable"


def test_a_file_that_cannot_be_opened_is_named(path):
    (path.parent / "journal.db").mkdir(parents=True)
    path.parent.chmod(0o700)
    assert refused(path).code == "data_dir_not_writable"


def test_a_folder_on_a_full_disk_is_named(path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        error = refused(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.code == "data_dir_not_writable"
    assert str(path.parent) in error.message
    SqliteJournal(path).close()


def test_a_second_journal_in_the_folder_is_refused(path, file_journal):
    error = refused(path)
    assert error.code == "data_dir_in_use"
    assert f"process {os.getpid()}" in error.message


def test_another_process_is_refused_until_the_first_one_dies(path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout.readline() == "open\n"
        error = refused(path)
        assert (error.code, f"process {holder.pid}" in error.message) == ("data_dir_in_use", True)
        holder.kill()
    SqliteJournal(path).close()


def test_a_closed_journal_lets_the_next_one_in_and_says_that_it_is_closed(path, make):
    first = SqliteJournal(path)
    first.close()
    SqliteJournal(path).close()
    with pytest.raises(Unavailable, match="is closed") as caught:
        first.append([make.event()])
    assert caught.value.code == "journal_closed"


def overwrite_the_header(path):
    path.write_bytes(b"this is not a database, really not" * 40)


def cut_in_the_middle(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scramble_a_page(path):
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    path.write_bytes(data)


def unreadable_prompt(path):
    with sqlite3.connect(path) as database:
        database.execute("UPDATE kept SET value = '{\"type\": 1}' WHERE kind = 'prompt'")
    database.close()


@pytest.mark.parametrize("harm", [overwrite_the_header, cut_in_the_middle, scramble_a_page])
def test_a_damaged_journal_is_refused_and_left_as_it_is(path, make, harm):
    filled(path, make)
    harm(path)
    before = path.read_bytes()
    error = refused(path)
    assert error.code == "journal_damaged"
    assert f"mv {path} {path}.damaged" in error.message
    assert path.read_bytes() == before
    shutil.move(path, f"{path}.damaged")
    SqliteJournal(path).close()


def test_a_kept_value_that_cannot_be_read_is_damage_too(path, make):
    filled(path, make)
    unreadable_prompt(path)
    journal = SqliteJournal(path)
    with pytest.raises(Unavailable, match="a kept prompt cannot be read") as caught:
        journal.kept()
    assert caught.value.code == "journal_damaged"
    journal.close()


def test_the_file_of_another_program_is_not_touched(path):
    path.parent.mkdir(mode=0o700)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE bookmarks (url)")
    database.close()
    assert refused(path).code == "journal_damaged"


def test_a_journal_of_a_newer_clawtap_is_refused(path, make):
    filled(path, make)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    error = refused(path)
    assert error.code == "journal_too_new"
    assert "version 99" in error.message


def test_notes_of_an_older_journal_become_markers(path):
    path.parent.mkdir(mode=0o700)
    (first, *_) = sorted(files("clawtap_core.journal").joinpath("migrations").iterdir(), key=str)
    with sqlite3.connect(path) as database:
        database.executescript(first.read_text("utf-8"))
        rows = [("typed:s1", "1"), ("dismissed:s1:folder-trust", '"yes"'), ("alone", "2")]
        database.executemany("INSERT INTO note VALUES (?, ?)", rows)
        database.execute("PRAGMA user_version = 1")
    database.close()
    journal = SqliteJournal(path)
    markers = {("s1", "typed"): 1, ("s1", "dismissed:folder-trust"): "yes"}
    assert journal.kept().markers == markers
    journal.close()


def test_a_journal_that_lost_its_contents_is_refused(path, make):
    filled(path, make)
    (path.parent / "token").write_text("x")
    path.write_bytes(b"")
    for other in path.parent.glob("journal.db-*"):
        other.unlink()
    error = refused(path)
    assert error.code == "journal_damaged"
    assert "it is empty" in error.message


def test_a_data_folder_that_is_removed_while_running_is_noticed(path, make):
    journal = SqliteJournal(path)
    journal.append([make.event()])
    shutil.rmtree(path.parent)
    with pytest.raises(Unavailable, match="was removed while ClawTap ran") as caught:
        journal.append([make.event()])
    assert caught.value.code == "journal_failed"
    assert journal.last == 1
    journal.close()


def test_an_empty_file_is_a_new_journal(path):
    path.parent.mkdir(mode=0o700)
    path.touch()
    journal = SqliteJournal(path)
    assert journal.last == 0
    journal.close()


def test_a_full_disk_is_said_and_nothing_is_half_written(path, file_journal, make):
    file_journal.append([make.event()])
    pages = file_journal._database.execute("PRAGMA page_count").fetchone()[0]
    file_journal._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Unavailable, match="full") as caught:
        file_journal.append([make.event()] * 2000, Change((make.session(),)))
    assert caught.value.code == "journal_failed"
    assert file_journal.last == 1
    file_journal._database.execute("PRAGMA max_page_count = 100000")
    assert file_journal.append([make.event()])[0].seq == 2
    assert file_journal.kept().sessions == ()


def test_migrations_are_numbered_without_a_gap():
    folder = files("clawtap_core.journal") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    assert [int(name.split("_")[0]) for name in names] == list(range(1, len(names) + 1))
