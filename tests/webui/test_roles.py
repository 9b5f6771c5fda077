"""Every route has a role, the docs say which, and nobody with less gets through.

`python tests/webui/test_roles.py` writes the table of docs/api.md.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from webdesk.desk import Desk
from webdesk.samples import FORMS

import clawtap_core
from clawtap_core.config import Settings
from clawtap_core.model import (
    Actor,
    PromptState,
    QueuedMessage,
    Role,
    Rule,
    RuleDecision,
    SessionState,
    StoredSession,
    UsageLimit,
)
from clawtap_core.server.app import create_app
from clawtap_core.server.auth import public
from clawtap_core.server.context import server_of, use_device
from clawtap_core.server.devices import Devices
from clawtap_core.server.roles import required_role
from webui.plugin import register_routes
from webui.site import site

PAGE = Path(clawtap_core.__file__).parents[1] / "docs" / "api.md"
TABLE = re.compile(r"(?<=<!-- roles -->\n).*?(?=<!-- /roles -->)", re.DOTALL)
ANYONE = "anyone"
PUBLIC = next(iter(vars(public(lambda: None))))


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Each route: method, path, and the role that its view declares."""
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        role = ANYONE if hasattr(view, PUBLIC) else required_role(view).value
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, rule.rule, role


def role_table(app: Flask) -> str:
    rows = ["| route | role |", "|---|---|"]
    for method, path, role in sorted(routes(app), key=lambda route: (route[1], route[0])):
        shown = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path)
        rows.append(f"| `{method} {shown}` | {role} |")
    return "\n".join(rows) + "\n"


def documented() -> dict[tuple[str, str], str]:
    table = TABLE.search(PAGE.read_text())
    assert table, "docs/api.md has no <!-- roles --> table"
    rows = re.findall(r"^\| `(\w+) (\S+)` \| (\w+) \|$", table[0], re.MULTILINE)
    return {(method, path): role for method, path, role in rows}


def test_the_docs_have_the_role_of_every_route(app: Flask) -> None:
    table = TABLE.search(PAGE.read_text())
    assert table, "docs/api.md has no <!-- roles --> table"
    assert table[0] == role_table(app), "run `python tests/webui/test_roles.py`"


@pytest.mark.parametrize("role", list(Role))
def test_a_role_reaches_its_routes_and_no_others(app: Flask, role: Role) -> None:
    """As the table of the docs says, for every method a route takes."""
    expected = documented()
    _, token = server_of(app).devices.add("Anna", role=role)
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    for rule in app.url_map.iter_rules():
        shown = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        path = re.sub(r"<(?:\w+:)?\w+>", "x", rule.rule)
        if path == "/api/logout":
            continue  # it would end this test's own token
        for method in rule.methods or ():
            answer = client.open(path, method=method, buffered=False)
            if method == "OPTIONS":
                # It only names the methods, those of other roles included.
                assert answer.status_code in (200, 403), path
                continue
            needed = expected["GET" if method == "HEAD" else method, shown]
            refused = needed != ANYONE and not role.includes(Role(needed))
            assert (answer.status_code == 403) is refused, (method, path, answer.status_code)
            if refused and method != "HEAD":
                sentence = f"needs the role {needed}, and this device has the role {role.value}"
                assert sentence in answer.text, (method, path)
            answer.close()


def test_every_role_may_leave(app: Flask) -> None:
    for role in Role:
        device, token = server_of(app).devices.add("Anna", "browser", role)
        client = app.test_client()
        client.set_cookie("clawtap_3456", token)
        assert client.post("/api/logout").status_code == 200
        assert not server_of(app).devices.alive(device.id)


def test_a_plugins_route_that_names_no_role_is_the_owners(desk: Desk, tmp_path: Path) -> None:
    def extend(app: Flask) -> None:
        app.add_url_rule("/toys", "toys", lambda: "toys", methods=["GET", "POST"])

    settings = Settings(data_dir=tmp_path / "d", token="t")
    devices = Devices(tmp_path / "d" / "devices.json", "t")
    app = create_app(desk.transport, settings, devices=devices, extend=extend)
    for role, status in ((Role.WATCH, 403), (Role.ANSWER, 403), (Role.OWNER, 200)):
        headers = {"Authorization": f"Bearer {devices.add('Anna', role=role)[1]}"}
        for method in ("GET", "HEAD", "POST", "OPTIONS"):
            answer = app.test_client().open("/toys", method=method, headers=headers)
            assert answer.status_code == status


def test_a_refused_page_is_a_page(app: Flask) -> None:
    _, token = server_of(app).devices.add("Anna", role=Role.WATCH)
    headers: dict[str, Any] = {"Authorization": f"Bearer {token}", "Accept": "text/html"}
    answer = app.test_client().get("/new", headers=headers)
    assert answer.status_code == 403
    assert "This needs the role owner" in answer.text
    assert "<!doctype html>" in answer.text


def _filled(desk: Desk) -> list[str]:
    """A desk with everything on it; the paths of its pages."""
    paths = ["/", "/archived", "/find", "/history", "/journal", "/settings", "/rules"]
    asks, done = desk.add(title="Asks"), desk.add(title="Done", adapter="claude")
    desk.add(title="Away", archived=True)
    for form in FORMS:
        desk.ask(asks.id, form, expires_at=desk.now() + timedelta(hours=1))
    desk.rules.append(Rule("tests", RuleDecision.ALLOW, commands=("npm test",)))
    ended = desk.ask(done.id, "shell")
    desk.resolve(ended.request_id, PromptState.ANSWERED, Actor("rule tests"))
    lost = desk.add(title="Lost", adapter="claude", cli_session_id="d00d")
    desk.keep(replace(desk.sessions[lost.id], state=SessionState.LOST))
    limited = desk.add(title="Limited", adapter="claude")
    limit = UsageLimit("Limit reached", desk.now() + timedelta(hours=1))
    desk.keep(replace(desk.sessions[limited.id], state=SessionState.LIMITED, limit=limit))
    desk.queues[done.id] = [QueuedMessage("m1", done.id, "Later", desk.now())]
    desk.keep(replace(desk.sessions[done.id], state=SessionState.ENDED, cli_session_id="c0ffee"))
    for name, session_id in (("one", None), ("two", done.id)):
        desk.stored.append(
            StoredSession("claude", name, desk.now(), "/tmp", name, session_id=session_id)
        )
        paths.append(f"/history/claude/{name}")
    return [
        *paths,
        f"/sessions/{asks.id}",
        f"/sessions/{done.id}",
        f"/sessions/{lost.id}",
        f"/sessions/{limited.id}",
        "/find?q=new",
    ]


def _controls(html: str) -> Iterator[tuple[str, str]]:
    """Where the links and forms of a page lead: method and path."""
    for form in re.findall(r"<form\b[^>]*>", html):
        action = re.search(r'action="([^"]*)"', form)
        if action:
            yield "POST" if 'method="post"' in form else "GET", unescape(action[1])
    for href in re.findall(r'<a\b[^>]*href="(/[^"]*)"', html):
        yield "GET", unescape(href)


def _refused(app: Flask, role: Role, html: str) -> set[tuple[str, str]]:
    router = app.url_map.bind("localhost")
    refused = set()
    for method, target in _controls(html):
        endpoint, _ = router.match(urlsplit(target).path, method)
        view = app.view_functions[endpoint]
        if not role.includes(required_role(view)) and not hasattr(view, PUBLIC):
            refused.add((method, target))
    return refused


@pytest.mark.parametrize("role", list(Role))
def test_a_page_has_no_control_that_would_be_refused(app: Flask, desk: Desk, role: Role) -> None:
    paths = _filled(desk)
    _, token = server_of(app).devices.add("Anna", role=role)
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    shown = {}
    for path in paths:
        answer = client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 200, path
        assert _refused(app, role, answer.text) == set(), path
        shown[path] = answer.text
    with app.app_context():
        use_device(server_of(app).devices.find(token))
        live = str(site().renderer.snapshot(desk.transport(Actor()).snapshot()))
    assert _refused(app, role, live) == set()
    asks = next(html for path, html in shown.items() if path.startswith("/sessions/"))
    for html in (shown["/"], asks, live):
        assert ("You can only watch" in html) is (role is Role.WATCH)
    assert ("<ct-composer" in asks) is role.includes(Role.ANSWER)
    assert ("<ct-keys" in asks) is (role is Role.OWNER)
    assert ("<ct-push" in shown["/settings"]) is role.includes(Role.ANSWER)
    assert ("data-rename" in asks) is (role is Role.OWNER)
    for words in (
        "Allow once",
        "git push --force-with-lease origin main",
        "What should the project",
    ):
        assert words in asks


def test_the_owner_invites_by_the_page(app: Flask, client: Any) -> None:
    form = {"name": "Anna", "role": "answer", "seconds": "86400"}
    page = client.post("/settings/pair", data=form).text
    assert "Send this link to Anna and nobody else" in page
    assert "May answer and send messages. One login, within one day." in page
    link = re.search(r"http://localhost/login#pair=([A-Z0-9-]{29})<", page)
    assert link
    guest = app.test_client()
    guest.post("/api/login", data={"code": link[1], "next": "/settings"})
    seen = guest.get("/settings").text
    assert "You are here as <strong>Anna</strong>" in seen
    assert "Other people" not in seen
    assert "may answer and send messages, used" in client.get("/settings").text


@pytest.mark.parametrize("form", [{"role": "watch"}, {"role": "king", "name": "Anna"}])
def test_a_wrong_invitation_makes_no_link(client: Any, form: dict[str, str]) -> None:
    answer = client.post("/settings/pair", data=form)
    assert answer.status_code == 400
    assert "#pair=" not in answer.text


def _write_table() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), token="t")
        devices = Devices(Path(folder) / "devices.json", "t")
        app = create_app(Desk().transport, settings, devices=devices, extend=register_routes)
        PAGE.write_text(TABLE.sub(lambda _: role_table(app), PAGE.read_text()))


if __name__ == "__main__":
    _write_table()
