"""Files given to a session: kept privately, named in the message, gone when the session is over."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_terminal import Toy, until

from clawtap_core import SessionState
from clawtap_core.errors import Conflict, Impossible, NotFound, TooLarge
from clawtap_core.model import Attachment, QueuedMessage
from clawtap_core.model.moments import utc_now
from clawtap_core.runtime.actions.attachment_store import Attachments, safe_name
from clawtap_core.runtime.actions.attachments import whole

FILE = Attachment("f1", "a.png", 3, "/data/files/s1/f1-a.png")


@pytest.fixture
def desk(open_desk, tmp_path):
    return open_desk(Toy(), files=tmp_path / "files")


def test_a_file_is_private_and_keeps_a_safe_name(tmp_path):
    kept = Attachments(tmp_path / "files").keep("s1", "../my photo (1).png", b"abc")
    path = Path(kept.path)
    assert path.read_bytes() == b"abc"
    assert path.parent == tmp_path / "files" / "s1"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (tmp_path / "files").stat().st_mode & 0o777 == 0o700
    assert (kept.name, kept.size) == ("my-photo-1.png", 3)


def test_a_file_that_is_removed_meanwhile_keeps_no_other_out(tmp_path):
    store = Attachments(tmp_path / "files")
    kept = store.keep("s1", "a.png", b"abc")
    # A link that leads nowhere is listed and gone, as a file that is removed at that moment.
    (tmp_path / "files" / "s1" / "f2-b.png").symlink_to("nowhere")
    assert store.find("s1", [kept.id]) == (kept,)
    assert store.keep("s1", "c.png", b"abc").name == "c.png"


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("photo.PNG", "photo.PNG"),
        ("/etc/passwd", "passwd"),
        ("C:\\temp\\a b.txt", "a-b.txt"),
        ("..", "file"),
        (".env", "env"),
        ("-rf", "rf"),
        ("Übung 1.pdf", "bung-1.pdf"),
        ("a" * 300 + ".jpeg", "a" * 80 + ".jpeg"),
        ("Makefile", "Makefile"),
        ("日本.png", "png"),
    ],
)
def test_a_name_means_nothing_in_a_path_or_a_message(given, safe):
    assert safe_name(given) == safe


@pytest.mark.parametrize("name", ["../s2/f1", "/etc/passwd", "", "f9", "."])
def test_only_the_sessions_own_files_are_found(tmp_path, name):
    files = Attachments(tmp_path / "files")
    files.keep("s1", "a.txt", b"1")
    files.keep("s2", "f1", b"2")
    with pytest.raises(NotFound) as caught:
        files.find("s1", [name])
    assert caught.value.code == "attachment_not_found"


def test_a_file_and_all_files_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("clawtap_core.runtime.actions.attachment_store.MAX_ATTACHMENT_BYTES", 4)
    monkeypatch.setattr("clawtap_core.runtime.actions.attachment_store.MOST", 10)
    files = Attachments(tmp_path / "files")
    with pytest.raises(TooLarge) as caught:
        files.keep("s1", "a", b"12345")
    assert caught.value.code == "attachment_too_large"
    files.keep("s1", "a", b"1234")
    files.keep("s1", "a", b"1234")
    with pytest.raises(TooLarge) as caught:
        files.keep("s1", "a", b"1234")
    assert caught.value.code == "attachments_full"
    files.keep("s2", "a", b"1234")


def test_without_a_folder_none_are_taken(open_desk):
    desk = open_desk(Toy())
    with pytest.raises(Impossible, match="does not store files"):
        desk.transport().attach(desk.session_id, "a.txt", b"1")


@pytest.mark.parametrize(
    ("text", "path", "mention", "expected"),
    [
        ("look", "/d/f1-a.png", "@{path}", "look @/d/f1-a.png"),
        ("look", "/d/f1-a.png", "{path}", "look /d/f1-a.png"),
        ("two\nlines", "/d/f1-a.png", "@{path}", "two\nlines\n@/d/f1-a.png"),
        ("", "/d/f1-a.png", "@{path}", "@/d/f1-a.png"),
        ("look", "/my data/f1-a.png", "@{path}", 'look "/my data/f1-a.png"'),
    ],
)
def test_a_message_names_its_files_as_the_cli_takes_them(text, path, mention, expected):
    file = Attachment("f1", "a.png", 3, path)
    assert whole(QueuedMessage("m1", "s1", text, utc_now(), (file,)), mention) == expected


def test_a_message_goes_with_its_files(desk):
    until(lambda: desk.session().state is SessionState.IDLE)
    tap = desk.transport()
    one = tap.attach(desk.session_id, "a.png", b"abc")
    assert tap.message(desk.session_id, "look", [one.id]).status == "sent"
    assert desk.toy.messages == [f"look {one.path}"]


def test_a_file_alone_is_a_message(desk):
    until(lambda: desk.session().state is SessionState.IDLE)
    one = desk.transport().attach(desk.session_id, "a.png", b"abc")
    desk.transport().message(desk.session_id, "", [one.id])
    assert desk.toy.messages == [one.path]


def test_a_queued_message_keeps_its_files_also_over_a_restart(open_desk, tmp_path):
    toy = Toy()
    toy.busy = True
    desk = open_desk(toy, files=tmp_path / "files")
    until(lambda: desk.session().state is SessionState.BUSY)
    one = desk.transport().attach(desk.session_id, "a.png", b"abc")
    desk.transport().message(desk.session_id, "look", [one.id])
    (waits,) = desk.transport().queue(desk.session_id)
    assert waits.attachments == (one,)
    with pytest.raises(Conflict) as caught:
        desk.transport().detach(desk.session_id, one.id)
    assert caught.value.code == "attachment_in_use"
    desk.transport().edit_queued(desk.session_id, waits.id, "look here")
    for live in desk.agent.sessions.running.values():
        live.close()
    new = open_desk(terminal=desk.terminal, journal=desk.journal, files=tmp_path / "files")
    new.session_id = desk.session_id
    assert new.transport().queue(desk.session_id)[0].attachments == (one,)
    toy.busy = False
    new.show()
    until(lambda: toy.messages == [f"look here {one.path}"])
    assert Path(one.path).exists()


def test_a_file_that_is_not_wanted_any_more_is_removed(desk):
    one = desk.transport().attach(desk.session_id, "a.png", b"abc")
    desk.transport().detach(desk.session_id, one.id)
    assert not Path(one.path).exists()
    with pytest.raises(NotFound):
        desk.transport().message(desk.session_id, "look", [one.id])


def test_the_files_go_with_the_session(desk):
    one = desk.transport().attach(desk.session_id, "a.png", b"abc")
    desk.transport().end(desk.session_id)
    until(lambda: not Path(one.path).parent.exists())
    with pytest.raises(Conflict) as caught:
        desk.transport().attach(desk.session_id, "b.png", b"abc")
    assert caught.value.code == "session_ended"


def test_files_of_sessions_that_nobody_knows_go_at_the_start(open_desk, tmp_path):
    Attachments(tmp_path / "files").keep("gone", "a.txt", b"1")
    open_desk(Toy(), files=tmp_path / "files")
    assert not (tmp_path / "files" / "gone").exists()
