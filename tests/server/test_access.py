from __future__ import annotations

import json
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import TOKEN

from clawtap_core.config import Settings
from clawtap_core.errors import UsageError
from clawtap_core.model import Role
from clawtap_core.server.auth import local_next, public
from clawtap_core.server.connections import SOCKET
from clawtap_core.server.context import server_of
from clawtap_core.server.devices import Devices
from clawtap_core.server.failure_limit import FailureLimit
from clawtap_core.server.owner_token import open_devices, owner_token
from clawtap_core.server.pairing import Access, CodeUse, PairingCodes
from clawtap_core.server.user_agent import device_name

COOKIE = "clawtap_3456"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def login(client: Any, **body: str) -> Any:
    return client.post("/api/login", json=body)


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


def test_the_devices_name_is_the_actors(stranger: Any, fake: Any) -> None:
    login(stranger, token=TOKEN, name="phone")
    stranger.post("/api/sessions/s1/approve", json={"requestId": "r1"})
    assert fake.said[-1][-1] == "phone"


def test_a_browser_without_a_name_gets_one(stranger: Any) -> None:
    agent = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"
    answer = stranger.post("/api/login", json={"token": TOKEN}, headers={"User-Agent": agent})
    assert answer.get_json()["device"]["name"] == "Chrome on Android"
    assert device_name("") == "Browser"


def test_a_pairing_code_works_once(app: Any, stranger: Any, client: Any, code: Any) -> None:
    issued = client.post("/api/devices/pairing")
    assert issued.status_code == 201
    reply = issued.get_json()
    assert reply["url"] == f"http://localhost/login#pair={reply['code']}"
    sloppy = reply["code"].lower().replace("-", " ")
    assert login(stranger, code=sloppy).status_code == 200
    again = login(app.test_client(), code=reply["code"])
    assert (again.status_code, code(again)) == (401, "wrong_code")


def test_a_pairing_link_leads_where_the_page_is(client: Any) -> None:
    headers = {"Origin": "https://localhost", "Host": "localhost"}
    reply = client.post("/api/devices/pairing", headers=headers).get_json()
    assert reply["url"].startswith("https://localhost/login#pair=")


def test_a_pairing_code_grows_old() -> None:
    now = [0.0]
    codes = PairingCodes(seconds=60, clock=lambda: now[0])
    issued = codes.issue()
    now[0] = 60.0
    assert not codes.use(issued.code)


def test_a_code_is_valid_until_a_device_used_it_or_it_expired() -> None:
    now = [0.0]
    codes = PairingCodes(seconds=60, clock=lambda: now[0])
    issued, late = codes.issue(), codes.issue()
    assert codes.use_of(issued.id) == CodeUse(valid=True)
    assert codes.use(issued.code)
    codes.record_paired(issued.code, "Pixel 8")
    assert codes.use_of(issued.id) == CodeUse(valid=False, device="Pixel 8")
    now[0] = 60.0
    assert codes.use_of(late.id) == CodeUse(valid=False)
    assert not codes.use(late.id)


def test_only_so_many_codes_wait() -> None:
    codes = PairingCodes()
    first, *others = [codes.issue() for _ in range(21)]
    assert not codes.use(first.code)
    assert codes.use(others[0].code)


def test_guessing_is_slowed_down_and_says_for_how_long(stranger: Any, code: Any) -> None:
    for _ in range(10):
        assert login(stranger, code="AAAAA-AAAAA").status_code == 401
    for wrong in ({"token": "wrong"}, {"code": "AAAAA-AAAAA"}):
        answer = login(stranger, **wrong)
        assert (answer.status_code, code(answer)) == (429, "too_many_logins")
        assert 0 < int(answer.headers["Retry-After"]) <= 61


def test_a_good_token_is_not_locked_out_by_wrong_ones(app: Any, devices: Devices) -> None:
    _, token = devices.add("phone")
    stranger = app.test_client()
    for _ in range(70):
        login(stranger, token="wrong")
    assert login(app.test_client(), token=TOKEN).status_code == 200
    assert login(app.test_client(), token=token).status_code == 200


def test_guessing_from_many_addresses_is_slowed_down_too() -> None:
    now = [0.0]
    limit = FailureLimit(per_client=5, in_all=20, seconds=60, clock=lambda: now[0])
    for number in range(20):
        limit.check(f"10.0.0.{number}")
        limit.failed(f"10.0.0.{number}")
    with pytest.raises(Exception, match="too many failed logins"):
        limit.check("10.0.1.1")
    now[0] = 60.0
    limit.check("10.0.1.1")


def test_good_logins_are_not_limited(app: Any) -> None:
    for _ in range(15):
        assert login(app.test_client(), token=TOKEN).status_code == 200


def test_devices_are_named_listed_and_revoked(client: Any, app: Any, code: Any) -> None:
    made = client.post("/api/devices", json={"name": "ci"})
    assert made.status_code == 201
    token, name = made.get_json()["token"], made.get_json()["device"]["id"]
    other = app.test_client()
    assert other.get("/api/sessions", headers=bearer(token)).status_code == 200
    listed = client.get("/api/devices").get_json()
    assert [(d["name"], d["kind"], d["current"]) for d in listed] == [
        ("local", "owner", True),
        ("ci", "token", False),
    ]
    assert token not in json.dumps(listed)
    assert "digest" not in listed[0]
    assert client.delete(f"/api/devices/{name}").get_json() == {"ok": True}
    refused = other.get("/api/sessions", headers=bearer(token))
    assert (refused.status_code, code(refused)) == (401, "unknown_token")
    assert client.delete(f"/api/devices/{name}").status_code == 404


def test_the_owner_cannot_be_locked_out(client: Any) -> None:
    assert client.delete("/api/devices/owner").status_code == 422


def test_two_devices_log_out_apart(app: Any) -> None:
    one, two = app.test_client(), app.test_client()
    login(one, token=TOKEN, name="one")
    login(two, token=TOKEN, name="two")
    out = one.post("/api/logout")
    assert "Max-Age=0" in out.headers["Set-Cookie"]
    assert one.get("/api/sessions").status_code == 401
    assert [d["name"] for d in two.get("/api/devices").get_json()] == ["local", "two"]


def test_a_named_token_outlives_a_logout(client: Any, app: Any) -> None:
    token = client.post("/api/devices", json={"name": "ci"}).get_json()["token"]
    browser = app.test_client()
    login(browser, token=token)
    browser.post("/api/logout")
    assert app.test_client().get("/api/sessions", headers=bearer(token)).status_code == 200


def test_a_revoked_cookie_is_not_saved_by_a_good_header_missing(app: Any, client: Any) -> None:
    browser = app.test_client()
    device = login(browser, token=TOKEN).get_json()["device"]
    client.delete(f"/api/devices/{device['id']}")
    assert browser.get("/api/sessions").status_code == 401


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


def test_tokens_are_kept_hashed_in_a_private_file(settings: Settings, devices: Devices) -> None:
    device, token = devices.add("phone")
    path = Path(settings.data_dir) / "devices.json"
    assert token not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    again = Devices(path, TOKEN)
    found = again.find(token)
    assert found is not None
    assert (found.id, found.name) == (device.id, "phone")
    assert "digest" not in repr(found)


def test_a_device_that_could_not_be_stored_is_not_there(
    devices: Devices, fill_disk: Callable[[], None]
) -> None:
    fill_disk()
    with pytest.raises(UsageError, match="No space left"):
        devices.add("phone")
    assert [each.name for each in devices.all()] == ["local"]


def test_an_invitation_that_the_disk_refuses_is_not_there_and_one_that_let_nobody_in_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill_disk: Callable[[], None]
) -> None:
    codes = PairingCodes(tmp_path / "invitations.json")
    anna = Access(Role.WATCH, "Anna")
    issued = codes.issue(anna, 3600)
    fill_disk()
    with pytest.raises(UsageError, match="No space left"):
        codes.use(issued.code)
    with pytest.raises(UsageError, match="No space left"):
        codes.issue(Access(Role.WATCH, "Bob"), 3600)
    assert [each.name for each in codes.invitations()] == ["Anna"]
    monkeypatch.undo()
    assert codes.use(issued.code) == anna
    assert codes.use(issued.code) is None


def test_a_device_that_invited_somebody_is_cut_off_although_the_disk_is_full(
    app: Any, devices: Devices, fill_disk: Callable[[], None]
) -> None:
    state = server_of(app)
    device, token = devices.add("phone")
    state.pairing.issue(Access(Role.WATCH, "Anna", device.id), 3600)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        state.connections.add(device.id, ours)
        fill_disk()
        with pytest.raises(UsageError, match="No space left"):
            devices.revoke(device.id)
        theirs.settimeout(5)
        assert theirs.recv(1) == b""
    assert devices.find(token) is None
    assert state.pairing.invitations() == []


def test_a_device_gets_in_and_is_cut_off_although_the_disk_is_full(
    devices: Devices, fill_disk: Callable[[], None]
) -> None:
    _, token = devices.add("phone")
    fill_disk()
    used = devices.find(token)
    assert used is not None
    assert used.last_used is not None
    cut_off: list[str] = []
    devices.on_revoke(cut_off.append)
    with pytest.raises(UsageError, match="No space left"):
        devices.revoke(used.id)
    assert cut_off == [used.id]
    assert devices.find(token) is None


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\nb"])
def test_a_device_needs_a_name_that_can_be_shown(devices: Devices, name: str) -> None:
    with pytest.raises(Exception, match="printable"):
        devices.add(name)


@pytest.mark.parametrize("text", ["{", "[]", '{"devices": [{}]}', "[" * 100_000])
def test_a_damaged_device_file_is_explained(tmp_path: Path, text: str) -> None:
    (tmp_path / "devices.json").write_text(text)
    with pytest.raises(UsageError, match="damaged"):
        Devices(tmp_path / "devices.json", TOKEN)


def test_the_first_start_makes_the_owners_token(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new")
    devices = open_devices(settings)
    path = tmp_path / "new" / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    token = path.read_text().strip()
    assert len(token) >= 43
    found = devices.find(token)
    assert found is not None
    assert found.name == "local"
    assert owner_token(settings) == token


def test_a_token_may_be_given_by_flag_or_file(tmp_path: Path) -> None:
    file = tmp_path / "given"
    file.write_text("from-file\n")
    assert owner_token(Settings(data_dir=tmp_path, token="flag")) == "flag"
    assert owner_token(Settings(data_dir=tmp_path, token_file=file)) == "from-file"
    with pytest.raises(UsageError, match="cannot be read"):
        owner_token(Settings(data_dir=tmp_path, token_file=tmp_path / "none"))
    file.write_text("")
    with pytest.raises(UsageError, match="is empty"):
        owner_token(Settings(data_dir=tmp_path, token_file=file))


def test_a_data_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="--data-dir"):
        open_devices(Settings(data_dir=tmp_path / "file" / "data"))


def test_each_app_has_its_own_codes(app: Any) -> None:
    assert server_of(app).pairing.issue().code


def test_a_cookie_lasts_a_year(stranger: Any) -> None:
    cookie = login(stranger, token=TOKEN).headers["Set-Cookie"]
    assert f"Max-Age={365 * 24 * 60 * 60};" in cookie


def is_open(connection: socket.socket) -> bool:
    """Whether the other end of a connection was not shut down."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True


@pytest.fixture
def connection() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection: the server's and the client's."""
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def test_a_revoked_device_loses_the_connection_that_serves_it(
    app: Any, client: Any, connection: Any
) -> None:
    ours, theirs = connection
    made = client.post("/api/devices", json={"name": "phone"}).get_json()
    served = {"headers": bearer(made["token"]), "environ_overrides": {SOCKET: ours}}
    stream = app.test_client().get("/api/events", buffered=False, **served)
    assert is_open(theirs)
    client.delete(f"/api/devices/{made['device']['id']}")
    assert not is_open(theirs)
    stream.close()


def test_a_connection_that_no_longer_serves_a_device_is_not_ended_with_it(
    app: Any, client: Any, connection: Any
) -> None:
    ours, theirs = connection
    made = client.post("/api/devices", json={"name": "phone"}).get_json()
    served = {"headers": bearer(made["token"]), "environ_overrides": {SOCKET: ours}}
    app.test_client().get("/api/sessions", **served).close()
    client.delete(f"/api/devices/{made['device']['id']}")
    assert is_open(theirs)


def test_a_device_that_revokes_itself_gets_its_reply(app: Any, connection: Any) -> None:
    ours, theirs = connection
    browser = app.test_client()
    device = login(browser, token=TOKEN).get_json()["device"]["id"]
    gone = browser.delete(f"/api/devices/{device}", environ_overrides={SOCKET: ours})
    assert gone.status_code == 200
    assert is_open(theirs)
