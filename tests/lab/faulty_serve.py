"""`clawtap serve` that dies, or lets something happen, at a point: faulty_serve.py FAULT serve …

FAULT is a file with the arguments of FaultPoints as JSON; without it nothing happens.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    """Be the command line, with a fault point in its server."""
    from clawtap_core.cli import main
    from clawtap_core.server import entry

    fault, patch = Path(sys.argv.pop(1)), entry._patch

    def patched() -> None:
        patch()
        from fault_points import FaultPoints

        if fault.exists():
            given = json.loads(fault.read_text())
            FaultPoints(**{**given, "trace": fault.with_suffix(".trace")}).install()

    entry._patch = patched
    main()


if __name__ == "__main__":
    main()
