"""A ClawTap that runs two children and kills itself: run as a program by test_reaper."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from toy_protocol_testbed import ProtocolTestbed

room = ProtocolTestbed(Path(sys.argv[1]))
sessions = [room.idle(room.start(args=(how,))) for how in ("stubborn", "")]
print(*(room.transport.session(session).cli_session_id for session in sessions))
print(room.agent.protocols.reaper._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
