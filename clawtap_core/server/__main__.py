"""`python -m clawtap_core.server`: serve with the settings of the environment and config.toml."""

from __future__ import annotations

import sys


def main() -> int:
    """Serve and return the exit code."""
    from gevent import monkey

    monkey.patch_all(queue=False)

    from clawtap_core.config import load_settings
    from clawtap_core.errors import ClawTapError
    from clawtap_core.server.entry import run

    try:
        return run(load_settings())
    except ClawTapError as error:
        print(f"clawtap: {error.message}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
