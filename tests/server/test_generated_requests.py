"""Requests that schemathesis makes from openapi.json, right and wrong ones, sent with each role.

`make test` sends a few for each route; `--requests 500` as many.
"""

from __future__ import annotations

import pytest
from fake_terminal import Desk, FakeTerminal, Toy, make_adapter
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from served_process import TOKEN

from clawtap_core import LaunchRequest
from clawtap_core.config import Settings
from clawtap_core.errors import ErrorCode
from clawtap_core.host import Host
from clawtap_core.journal import MemoryJournal
from clawtap_core.model import Role
from clawtap_core.runtime import Runtime
from clawtap_core.server.app import create_app
from clawtap_core.server.devices import Devices
from clawtap_core.server.hook_receiver import HookReceiver
from clawtap_core.server.roles import required_role

schemathesis = pytest.importorskip("schemathesis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
Mode = schemathesis.GenerationMode

pytestmark = pytest.mark.slow

ROLES = (None, *Role)
STREAMS = {"/api/events", "/api/sessions/{session_id}/events"}
OPEN_TO_ALL = {"/healthz", "/api/login", "/api/notices/answer"}
CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
REFUSED = {ErrorCode.UNAUTHORIZED, ErrorCode.ROLE_NEEDED}
NO_ROUTE = {ErrorCode.NO_SUCH_ROUTE, ErrorCode.METHOD_NOT_ALLOWED}
LONGEST_WAIT = 0.01


class Office:
    """A server whose CLIs are toys, with a session that asks and a device of each role."""

    def __init__(self, folder):
        host = Host()
        host.add(make_adapter(), "toy")
        self.terminal, journal = FakeTerminal(), MemoryJournal()
        self.agent = Runtime(
            host,
            self.terminal,
            journal,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
            files=folder / "files",
            rules=folder / "rules.toml",
        )
        self.folder = folder
        self.desk = Desk(self.terminal, journal, self.agent)
        self.devices = Devices(folder / "data" / "devices.json", TOKEN)
        self.app = create_app(
            self.agent.transport,
            Settings(data_dir=folder / "data", token=TOKEN),
            devices=self.devices,
            hooks=HookReceiver(self.agent.hooks),
            record=self.agent.record,
        )
        self.tokens = {}

    def headers(self, role):
        """What a device of this role sends; it may have revoked itself meanwhile."""
        if role is None:
            return {}
        token = self.tokens.get(role)
        if not token or not self.devices.find(token):
            token = TOKEN if role is Role.OWNER else self.devices.add(role.value, role=role)[1]
            self.tokens[role] = token
        return {"Authorization": f"Bearer {token}"}

    def names(self):
        """Ids that exist: a session with a prompt, which is made anew if it has gone."""
        transport = self.desk.transport()
        alive = {each.id for each in transport.sessions() if each.state.value != "ended"}
        if self.desk.session_id not in alive:
            self.terminal.program = Toy(*(f"rm {number}" for number in range(1000)))
            self.desk.session_id = transport.start(LaunchRequest("toy", str(self.folder))).id
        return {
            "session_id": self.desk.session_id,
            "request_id": self.desk.prompt().request_id,
            "adapter": "toy",
        }

    def may(self, role, operation):
        """Whether a role opens this route, by the mark of its view."""
        if operation.path in OPEN_TO_ALL:
            return True
        if role is None:
            return False
        with self.app.test_request_context(operation.path, method=operation.method.upper()) as at:
            return role.includes(required_role(self.app.view_functions[at.request.endpoint]))


@pytest.fixture
def office(tmp_path):
    office = Office(tmp_path)
    yield office
    office.agent.close()


def requests_of(operation, names):
    """Right and wrong requests to a route, half of them about things that exist."""
    modes = [operation.as_strategy(generation_mode=mode) for mode in Mode]

    def about(case, real):
        if real:
            known = {name: names[name] for name in case.path_parameters or {} if name in names}
            case.path_parameters = {**(case.path_parameters or {}), **known}
            if isinstance(case.body, dict) and "requestId" in case.body:
                case.body = {**case.body, "requestId": names["request_id"]}
        wait = (case.query or {}).get("wait")
        if isinstance(wait, (int, float)) and wait > LONGEST_WAIT:
            case.query = {**case.query, "wait": LONGEST_WAIT}
        return case

    return st.builds(about, st.one_of(modes), st.booleans())


def test_no_request_breaks_the_server_or_a_role(office, request):
    count = request.config.getoption("--requests")
    schema = schemathesis.openapi.from_wsgi(
        "/api/openapi.json", office.app, headers=office.headers(Role.OWNER)
    )
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path not in STREAMS:
            send_many(office, operation, count)


def send_many(office, operation, count):
    may = {role: office.may(role, operation) for role in ROLES}

    def check(case):
        for role in ROLES:
            case.headers = office.headers(role)
            response = case.call(app=office.app)
            check_reply(response, may[role])
            case.validate_response(response, checks=CHECKS)

    run = settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    run(given(requests_of(operation, office.names()))(check))()


def check_reply(response, may):
    """An error is one of ours, and refuses exactly those who may not."""
    status, said = response.status_code, (response.request.url, response.text)
    code = response.json()["code"] if status >= 400 else ""
    assert not code or code in set(ErrorCode), said
    assert status < 500 or status in (502, 503), said
    # A path that fits no route is refused before anything else: it tells nothing.
    assert (code in REFUSED) != may or code in NO_ROUTE, said
