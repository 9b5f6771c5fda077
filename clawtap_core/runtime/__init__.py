"""The runtime: it holds the sessions, watches their panes and delivers answers."""

from clawtap_core.runtime.direct_transport import DirectTransport
from clawtap_core.runtime.factory import open_runtime
from clawtap_core.runtime.hub import open_hub
from clawtap_core.runtime.service import Runtime

__all__ = ["Runtime", "DirectTransport", "open_hub", "open_runtime"]
