"""The other end of the API: `HttpTransport`."""

from clawtap_core.client.transport import HttpTransport

__all__ = ["HttpTransport"]
