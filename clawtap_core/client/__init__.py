"""The other end of the API: `HttpTransport`, and what programs that ask build on it."""

from clawtap_core.client.sdk import can_use_tool
from clawtap_core.client.transport import HttpTransport

__all__ = ["HttpTransport", "can_use_tool"]
