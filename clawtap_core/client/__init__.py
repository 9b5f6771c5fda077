"""The other end of the API: `HttpTransport`, and what programs that ask build on it."""

from clawtap_core.client.http_transport import HttpTransport
from clawtap_core.client.sdk import can_use_tool

__all__ = ["HttpTransport", "can_use_tool"]
