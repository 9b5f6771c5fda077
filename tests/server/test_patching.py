"""What `serve` patches leaves watchdog at work: with its queue patched, its emitter dies."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

_WATCH = """
from gevent import monkey; monkey.patch_all(queue=False)
import sys, threading
from pathlib import Path
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

seen, changed = [], threading.Event()

class Handler(FileSystemEventHandler):
    def on_modified(self, event):
        if event.src_path.endswith("changed"):
            seen.append(event)
            changed.set()

folder = Path(sys.argv[1])
(folder / "changed").touch()
observer = Observer()
observer.schedule(Handler(), str(folder))
observer.start()
for number in range(5):
    changed.clear()
    (folder / "changed").write_text(str(number))
    assert changed.wait(60), number
observer.stop()
observer.join()
print("all seen")
"""


def test_watchdog_keeps_reporting_under_the_patches_of_serve(tmp_path):
    argv = [sys.executable, "-c", _WATCH, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=25)
    assert done.stdout.strip() == "all seen", done.stderr


def test_patching_reads_the_metadata_of_packages_once() -> None:
    code = """
from importlib import metadata
read, calls = metadata.entry_points, []

def counted(**group):
    calls.append(group)
    return read(**group)

metadata.entry_points = counted
from gevent import monkey
from clawtap_core.server.entry import metadata_read_once
with metadata_read_once():
    monkey.patch_all(queue=False)
    assert {entry.name for entry in metadata.entry_points(group="clawtap")} >= {"webui"}
print(len(calls), metadata.entry_points is counted)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 True\n"
