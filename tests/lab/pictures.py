"""Small pictures, each another one."""

from __future__ import annotations

import random
import struct
import zlib

SIDE = 64


def picture(dice: random.Random) -> bytes:
    """Return a PNG of one colour by chance."""
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    rows = (b"\0" + dice.randbytes(3) * SIDE) * SIDE
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
