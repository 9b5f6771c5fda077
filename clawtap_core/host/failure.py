"""Say what went wrong in a plugin, and where."""

from __future__ import annotations

import sys
from pathlib import Path
from traceback import walk_tb

_NOT_THE_PLUGIN = sys.stdlib_module_names | {"clawtap_core", "pluggy"}


def describe_failure(error: BaseException) -> str:
    """Return the error in one line, with the plugin's file and line where it was raised."""
    text = f"{type(error).__name__}: {error}"
    places = [
        f"{Path(frame.f_code.co_filename).name}, line {line}"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in _NOT_THE_PLUGIN
    ]
    return f"{text} ({places[-1]})" if places else text
