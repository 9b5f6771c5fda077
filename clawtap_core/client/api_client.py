"""Requests to a server's API."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, TypeVar
from urllib.parse import quote

import requests

from clawtap_core import errors
from clawtap_core.client.replies import decode, decode_list, error_of
from clawtap_core.schemas import load

T = TypeVar("T")
# Seconds to connect and to wait: a reply comes only once an answer is confirmed.
TIMEOUT = (5.0, 60.0)
# Seconds without a byte, three keep-alive comments, after which a stream is dead.
SILENCE = 45.0


class ApiClient:
    """The API of the server at `url`; errors begin with the `action`."""

    def __init__(self, url: str, token: str, verify: bool | str) -> None:
        if not url.startswith(("http://", "https://")):
            raise errors.UsageError(
                f"the address {url} must begin with http:// or https://",
                code=errors.ErrorCode.BAD_SETTING,
            )
        self.url = url.rstrip("/")
        self._http = requests.Session()
        self._http.headers["Authorization"] = f"Bearer {token}"
        self._http.verify = verify
        # Proxies and .netrc of the environment would carry the token elsewhere.
        self._http.trust_env = False
        self._machine: str | None = None

    def at(self, machine: str) -> ApiClient:
        """Return a client whose requests concern one machine of the server's fleet."""
        there = copy(self)
        there._machine = machine
        return there

    def get(
        self,
        kind: type[T],
        path: str,
        action: str,
        query: Mapping[str, Any] | None = None,
        *,
        wait: float = 0,
    ) -> T:
        """GET a value, allowing the reply `wait` more seconds."""
        return load(kind, decode(self.open("GET", path, action, query=query, wait=wait), action))

    def list(
        self, kind: type[T], path: str, action: str, query: Mapping[str, Any] | None = None
    ) -> list[T]:
        """GET a list of values."""
        reply = decode_list(self.open("GET", path, action, query=query), action)
        return [load(kind, fields) for fields in reply]

    def post(
        self, kind: type[T], path: str, action: str, body: Mapping[str, Any] | None = None
    ) -> T:
        """POST, and return the value of the reply."""
        return load(kind, self.call("POST", path, action, body))

    def patch(self, kind: type[T], path: str, action: str, body: Mapping[str, Any]) -> T:
        """PATCH a resource, and return its new value."""
        return load(kind, self.call("PATCH", path, action, body))

    def delete(self, kind: type[T], path: str, action: str) -> T:
        """DELETE, and return the value of the reply."""
        return load(kind, self.call("DELETE", path, action))

    def send(
        self, kind: type[T], path: str, action: str, data: bytes, query: Mapping[str, Any]
    ) -> T:
        """POST bytes, and return the value of the reply."""
        return load(kind, decode(self.open("POST", path, action, data=data, query=query), action))

    def call(
        self, method: str, path: str, action: str, body: Mapping[str, Any] | None = None
    ) -> Any:
        """Send a request, and return the JSON of the reply."""
        return decode(self.open(method, path, action, body=body), action)

    def open(
        self,
        method: str,
        path: str,
        action: str,
        *,
        body: Mapping[str, Any] | None = None,
        data: bytes | None = None,
        query: Mapping[str, Any] | None = None,
        stream: bool = False,
        wait: float = 0,
    ) -> requests.Response:
        """Return the response, or raise the error that its status stands for."""
        timeout = (TIMEOUT[0], SILENCE if stream else TIMEOUT[1] + wait)
        try:
            answer = self._http.request(
                method,
                f"{self.url}/api{path}",
                json=body,
                data=data,
                params={**(query or {}), "machine": self._machine},
                stream=stream,
                timeout=timeout,
                allow_redirects=False,
            )
        except (requests.exceptions.InvalidJSONError, requests.exceptions.InvalidURL) as error:
            raise errors.BadRequest(f"{action} failed: {error}") from error
        except OSError as error:  # also of a CA bundle that is not there
            raise errors.Unavailable(
                f"{action} failed: no answer from {self.url} ({type(error).__name__});"
                " is `clawtap serve` running?",
                code=errors.ErrorCode.SERVER_UNREACHABLE,
            ) from error
        if not answer.ok or answer.is_redirect:
            raise error_of(answer, action)
        return answer


def session_path(session_id: str, *rest: str) -> str:
    """Return the path of a session's resource."""
    return "/".join(("/sessions", *map(_quoted, (session_id, *rest))))


def adapter_path(adapter_id: str, *rest: str) -> str:
    """Return the path of an adapter's resource."""
    return "/".join(("/adapters", *map(_quoted, (adapter_id, *rest))))


def prompt_path(request_id: str, *rest: str) -> str:
    """Return the path of a prompt's resource."""
    return "/".join(("/prompts", *map(_quoted, (request_id, *rest))))


def rule_path(name: str) -> str:
    """Return the path of a rule's resource."""
    return f"/rules/{_quoted(name)}"


def history_path(adapter: str, cli_session_id: str) -> str:
    """Return the path of a stored conversation."""
    return f"/history/{_quoted(adapter)}/{_quoted(cli_session_id)}"


def _quoted(part: str) -> str:
    if not part.strip("."):
        # Dots alone are path steps, quoted or not.
        raise errors.NotFound(f"nothing has the id {part!r}")
    return quote(part, safe="")
