"""A pane's program: paints what it reads from a named pipe, in the pieces in which it comes."""

from __future__ import annotations

import os
import sys
import tty

tty.setraw(1)
source = os.open(sys.argv[1], os.O_RDWR)
os.write(1, b"ready")
while data := os.read(source, 65536):
    os.write(1, data)
