"""A pane's program: reads its terminal raw and appends every byte to a file.

reader.py FILE [bracketed]; it says "ready" on the screen when it reads.
"""

from __future__ import annotations

import os
import sys
import tty
from pathlib import Path

tty.setraw(0)
with Path(sys.argv[1]).open("ab", buffering=0) as out:
    sys.stdout.write("\x1b[?2004h" if "bracketed" in sys.argv else "")
    sys.stdout.write("ready\r\n")
    sys.stdout.flush()
    while data := os.read(0, 65536):
        out.write(data)
