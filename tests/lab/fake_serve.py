"""Serves the fake transport in a process of its own: the settings come as JSON in argv."""

from __future__ import annotations

import json
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LAB = Path(__file__).parent


class FakeAgent:
    """An agent side that says what the test set, and that it was closed."""

    def __init__(self, fake: Any) -> None:
        self._fake = fake

    def transport(self, actor: Any) -> Any:
        return self._fake.for_actor(actor)

    @property
    def hooks(self) -> Any:
        return self

    def report(self, call: Any, gone: Any) -> None:
        """Do nothing with a hook."""

    def record(self, event: Any) -> None:
        """Keep no journal."""

    def publish(self, event: Any) -> None:
        """Be in no fleet."""

    def close(self) -> None:
        self._fake.hand_out(None)
        print("closed", flush=True)


def open_runtime(settings: Any, host: Any) -> FakeAgent:
    # Only now, when gevent has patched what this imports.
    sys.path.insert(0, str(LAB))
    from fake_transport import FakeTransport

    from clawtap_core.model import Folder, Sent
    from clawtap_core.server import connections, phone, serve, sse

    class Talking(FakeTransport):
        def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> Sent:
            self.session(session_id)
            self.publish(self.event("message", text=text))
            return Sent("sent")

        def wait(self, request_id: str, seconds: float, *, listening: Any = None) -> Any:
            print("waits", flush=True)
            until = time.monotonic() + seconds
            while listening() and time.monotonic() < until:
                time.sleep(0.02)
            print("waited", flush=True)
            return self.prompt(request_id)

        def folders(self) -> list[Folder]:
            return [Folder(f"readers: {len(self.readers)}", self.noon)]

    sse.IDLE = 0.2
    connections.REQUEST_SECONDS = 1.0
    serve.NETWORK_SECONDS = phone.KEEP_SECONDS = 0.2
    return FakeAgent(Talking())


def main() -> int:
    reply = json.loads(sys.argv[1])
    module = types.ModuleType("clawtap_core.runtime")
    module.open_runtime = open_runtime  # type: ignore[attr-defined]
    sys.modules["clawtap_core.runtime"] = module

    # Settings are made late, as the command line does it, so that nothing is loaded too early.
    from clawtap_core.config import Settings
    from clawtap_core.errors import ClawTapError
    from clawtap_core.server.entry import run

    for name in ("data_dir", "tls_cert", "tls_key"):
        if name in reply:
            reply[name] = Path(reply[name])
    try:
        return run(Settings(**{"load_plugins": (), **reply}))
    except ClawTapError as error:
        print(error.message, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
