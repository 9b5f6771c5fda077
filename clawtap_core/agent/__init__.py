"""The agent side: it holds the sessions, watches their panes and delivers what is answered."""

from clawtap_core.agent.agent import Agent
from clawtap_core.agent.direct import DirectTransport
from clawtap_core.agent.opening import open_agent

__all__ = ["Agent", "DirectTransport", "open_agent"]
