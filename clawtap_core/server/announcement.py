"""Print the server's URL, with a QR code on a terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from clawtap_core.config import Settings
from clawtap_core.errors import Unavailable
from clawtap_core.server.pairing import PairingCodes
from clawtap_core.server.phone import ANYWHERE, PhoneAccess, bracketed
from clawtap_core.server.private_files import write_private


def local_url(settings: Settings) -> str:
    """Return the URL for programs on this machine."""
    host = "127.0.0.1" if settings.host in ANYWHERE else settings.host
    return f"{settings.protocol}://{bracketed(host)}:{settings.port}"


def announce(
    settings: Settings, phones: PhoneAccess, codes: PairingCodes, out: TextIO
) -> str | None:
    """Print the URL, on a terminal with pairing codes and how to reach it from a phone.

    Returns the URL for a phone if that was printed.
    """
    if not out.isatty():
        # Standard output may be a log that others read.
        # A full disk behind it keeps nobody from being served.
        with suppress(OSError):
            print(f"ClawTap listens on {local_url(settings)}", file=out, flush=True)
        return None
    try:
        print(f"ClawTap: open {local_url(settings)}/login#pair={codes.issue().code}", file=out)
        return announce_phone(phones, codes, out)
    except Unavailable as error:  # a hub keeps its codes in Redis
        print(f"ClawTap listens on {local_url(settings)}; {error.message}", file=out, flush=True)
        return None


def announce_phone(phones: PhoneAccess, codes: PairingCodes, out: TextIO) -> str | None:
    """Print the QR code of a URL that a phone can open, and return it; or print how to get one."""
    address = phones.address()
    if address.url is None:
        _print_indented(f"Phone:   {address.advice}", out)
        return None
    code = codes.issue().code
    sign_in = f"scan this QR code, or open {address.url} and type {code}"
    if address.certificate_url:
        _print_indented(
            f"Phone:   1. Only the first time, open {address.certificate_url} to install the"
            " certificate.",
            out,
        )
        _print_indented(f"         2. To sign in, {sign_in}", out)
    else:
        _print_indented(f"Phone:   to sign in, {sign_in}", out)
    for other in address.others:
        print(f"         in another network: {other}", file=out)
    link = f"{address.url}/login#pair={code}"
    # Imported late: most servers start where nobody looks.
    import segno

    segno.make(link, error="l").terminal(out=out, compact=True, border=2)
    out.flush()
    return address.url


def _print_indented(line: str, out: TextIO) -> None:
    """Print a line so that a narrow terminal breaks no word, command or address in it."""
    wrapped = textwrap.wrap(
        re.sub(r"`[^`]*`", lambda command: command[0].replace(" ", "\xa0"), line),
        # A terminal that does not know its size says 0, and Python 3.10 returns that.
        width=shutil.get_terminal_size().columns or 80,
        subsequent_indent=" " * 9,
        break_long_words=False,
        break_on_hyphens=False,
    )
    print("\n".join(wrapped).replace("\xa0", " "), file=out, flush=True)


@contextmanager
def advertised(settings: Settings) -> Iterator[None]:
    """Keep server.json in the data folder while the server runs."""
    path = Path(settings.data_dir) / "server.json"
    fields = {"url": local_url(settings), "pid": os.getpid()}
    write_private(path, json.dumps(fields) + "\n")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
