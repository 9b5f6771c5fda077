"""The command line. Importing it loads neither Flask nor gevent nor any plugin."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> None:
    """The console script `clawtap`."""
    from clawtap_core.cli.app import cli

    # If the shell closed a stream (`>&-`), the next file that is opened would be used as it.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    try:
        cli(prog_name="clawtap")
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        from clawtap_core.cli.lazy_group import Failure
        from clawtap_core.errors import ErrorCode, Unavailable

        said = f"the output could not be written: {error.strerror}"
        Failure(Unavailable(said, code=ErrorCode.OUTPUT_FAILED)).show()
        # Python would flush what is left of it at exit, and fail again.
        os._exit(1)
