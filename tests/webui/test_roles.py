"""Every route has a role, the docs say which, and nobody with less gets through.

`python tests/webui/test_roles.py` writes the table of docs/api.md.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from webdesk.desk import Desk

import clawtap_core
from clawtap_core.config import Settings
from clawtap_core.model import Role
from clawtap_core.server.app import create_app
from clawtap_core.server.auth import public
from clawtap_core.server.context import server_of
from clawtap_core.server.devices import Devices
from clawtap_core.server.roles import required_role
from webui.plugin import register_routes

PAGE = Path(clawtap_core.__file__).parents[1] / "docs" / "api.md"
TABLE = re.compile(r"(?<=<!-- roles -->\n).*?(?=<!-- /roles -->)", re.DOTALL)
ANYONE = "anyone"


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Each route: method, path, and the role that its view declares."""
    marker = next(iter(vars(public(lambda: None))))
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        role = ANYONE if hasattr(view, marker) else required_role(view).value
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


def _write_table() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), token="t")
        devices = Devices(Path(folder) / "devices.json", "t")
        app = create_app(Desk().transport, settings, devices=devices, extend=register_routes)
        PAGE.write_text(TABLE.sub(lambda _: role_table(app), PAGE.read_text()))


if __name__ == "__main__":
    _write_table()
