from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from served_process import TOKEN
from sign_in import login

from clawtap_core.config import Settings
from clawtap_core.server.auth import local_next, public
from clawtap_core.server.devices import Devices

COOKIE = "clawtap_3456"


def test_every_route_but_health_login_and_buttons_needs_a_token(app: Any, stranger: Any) -> None:
    for rule in app.url_map.iter_rules():
        # The button of a notice has a token of its own, for one answer.
        if rule.rule in ("/healthz", "/api/login", "/api/notices/answer"):
            continue
        path = rule.rule
        for name in rule.arguments:
            path = path.replace(f"<{name}>", "x")
        for method in rule.methods - {"OPTIONS", "HEAD"}:
            assert stranger.open(path, method=method).status_code == 401, (method, path)


def test_an_unknown_route_needs_a_token_too(stranger: Any) -> None:
    assert stranger.get("/api/nothing").status_code == 401
    assert stranger.options("/api/sessions").status_code == 401


@pytest.mark.parametrize(
    "header",
    ["Bearer wrong", "Bearer", f"Basic {TOKEN}", TOKEN, "Bearer \udcff", ""],
)
def test_a_wrong_header_is_401(stranger: Any, code: Any, header: str) -> None:
    answer = stranger.get("/api/sessions", headers={"Authorization": header})
    assert answer.status_code == 401
    assert code(answer) in ("unknown_token", "unauthorized")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", [f"bearer {TOKEN}", f"Bearer  {TOKEN} "])
def test_the_scheme_may_be_in_lower_case_and_blanks_do_not_count(
    stranger: Any, header: str
) -> None:
    answer = stranger.get("/api/sessions", headers={"Authorization": header})
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["token", "access_token", "auth", "key", COOKIE])
def test_a_token_in_the_url_counts_for_nothing(stranger: Any, name: str) -> None:
    assert stranger.get(f"/api/sessions?{name}={TOKEN}").status_code == 401


def test_a_token_becomes_a_cookie_that_scripts_cannot_read(stranger: Any) -> None:
    answer = login(stranger, token=TOKEN, name="phone")
    cookie = answer.headers["Set-Cookie"]
    assert answer.get_json()["device"]["name"] == "phone"
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie
    assert TOKEN not in cookie
    assert stranger.get("/api/sessions").status_code == 200


def test_the_cookie_is_secure_where_the_page_is(app: Any) -> None:
    inside = app.test_client().post(
        "/api/login", json={"token": TOKEN}, base_url="https://localhost"
    )
    assert "Secure" in inside.headers["Set-Cookie"]


def test_the_owner_cannot_be_locked_out(client: Any) -> None:
    assert client.delete("/api/devices/owner").status_code == 422


def test_a_page_sends_strangers_to_the_login(stranger: Any) -> None:
    answer = stranger.get("/sessions/s1?tab=raw", headers={"Accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/login?next=/sessions/s1%3Ftab%3Draw"
    assert stranger.get("/api/sessions", headers={"Accept": "text/html"}).status_code == 401


def test_a_login_form_works_without_scripts(app: Any, stranger: Any) -> None:
    form = {"token": TOKEN, "next": "/sessions/s1", "name": "", "code": ""}
    answer = stranger.post("/api/login", data=form, headers={"Origin": "http://localhost"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/sessions/s1")
    assert stranger.get("/api/sessions").status_code == 200
    form_type = "application/x-www-form-urlencoded"
    out = stranger.post(
        "/api/logout", content_type=form_type, headers={"Origin": "http://localhost"}
    )
    assert (out.status_code, out.headers["Location"]) == (303, "/login")


def test_a_failed_login_form_comes_back_to_the_page(stranger: Any) -> None:
    answer = stranger.post("/api/login", data={"token": "wrong", "next": "/x"})
    assert answer.headers["Location"] == "/login?error=unknown_token&next=%2Fx"
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/a\\b",
        "/\t/evil.example",
        "javascript:alert(1)",
        "/x\r\nSet-Cookie: a=b",
        "",
        None,
    ],
)
def test_next_leads_nowhere_else(stranger: Any, target: str | None) -> None:
    assert local_next(target) == "/"
    form = {"token": TOKEN, **({"next": target} if target else {})}
    assert stranger.post("/api/login", data=form).headers["Location"] == "/"


def test_next_keeps_a_local_path() -> None:
    assert local_next("/sessions/s1?tab=raw#end") == "/sessions/s1?tab=raw#end"


def test_a_plugins_page_is_closed_unless_it_is_marked_public(
    fake: Any, settings: Settings, devices: Devices
) -> None:
    from clawtap_core.server.app import create_app

    def extend(app: Any) -> None:
        app.add_url_rule("/open", "open", public(lambda: "open"))
        app.add_url_rule("/closed", "closed", lambda: "closed")

    stranger = create_app(fake.for_actor, settings, devices=devices, extend=extend).test_client()
    assert stranger.get("/open").get_data(as_text=True) == "open"
    assert stranger.get("/closed").status_code == 401


def test_static_files_stay_in_their_folder(
    fake: Any, settings: Settings, devices: Devices, tmp_path: Path
) -> None:
    from flask import Blueprint

    from clawtap_core.server.app import create_app

    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "app.js").write_text("// app")
    (tmp_path / "secret").write_text("secret")
    pages = Blueprint("pages", __name__, static_folder=str(folder), static_url_path="/static")
    app = create_app(
        fake.for_actor,
        settings,
        devices=devices,
        extend=lambda app: app.register_blueprint(pages),
    )
    stranger = app.test_client()
    with stranger.get("/static/app.js") as script:
        assert script.get_data(as_text=True) == "// app"
    for path in ("/static/../secret", "/static/%2e%2e/secret", "/static/..%2fsecret"):
        assert stranger.get(path).status_code in (401, 404)


def test_a_cookie_lasts_a_year(stranger: Any) -> None:
    cookie = login(stranger, token=TOKEN).headers["Set-Cookie"]
    assert f"Max-Age={365 * 24 * 60 * 60};" in cookie
