"""Clients of the HTTP API."""

from clawtap_core.client.http_transport import HttpTransport

__all__ = ["HttpTransport"]
