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
    assert changed.wait(20), number
observer.stop()
observer.join()
print("all seen")
"""


def test_watchdog_keeps_reporting_under_the_patches_of_serve(tmp_path):
    argv = [sys.executable, "-c", _WATCH, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=25)
    assert done.stdout.strip() == "all seen", done.stderr
