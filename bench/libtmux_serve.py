"""`clawtap serve`, but for its terminal: answers go to the pane through libtmux."""

from __future__ import annotations

from gevent import monkey

monkey.patch_all(queue=False)

from bench.libtmux_terminal import LibtmuxTerminal  # noqa: E402 - after the patching
from clawtap_core.cli import main  # noqa: E402
from clawtap_core.runtime import factory  # noqa: E402

if __name__ == "__main__":
    setattr(factory, "TmuxTerminal", LibtmuxTerminal)  # noqa: B010 - the seam of this bench
    main()
