"""Files that are written are heard of; reading them is not."""

from __future__ import annotations

import threading

from toy_transcripts import append, note, write

from clawtap_core.transcripts.folder_watch import Watcher


def test_writing_is_heard_of_and_reading_is_not(tmp_path):
    heard, reported = [], threading.Event()

    def changed(path):
        heard.append(path)
        reported.set()

    path = write(tmp_path / "a" / "t.jsonl", note("a"))
    watcher = Watcher(changed)
    watcher.add(path.parent)
    try:
        path.read_bytes()
        append(path, note("b"))
        assert reported.wait(60)
        assert set(heard) == {str(path)}
    finally:
        watcher.close()


def test_a_folder_that_is_not_there_is_left_alone(tmp_path, caplog):
    watcher = Watcher(lambda path: None)
    watcher.add(tmp_path / "none")
    watcher.remove(tmp_path / "none")
    watcher.close()
    assert "cannot be watched" in caplog.text


def test_a_folder_that_comes_after_the_end_is_not_watched(tmp_path):
    watcher = Watcher(lambda _: None)
    watcher.close()
    before = threading.active_count()
    watcher.add(tmp_path)
    watcher.remove(tmp_path)
    assert threading.active_count() == before
