from __future__ import annotations

import json
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from served_process import TOKEN
from sign_in import bearer, login

from clawtap_core.config import Settings
from clawtap_core.errors import UsageError
from clawtap_core.model import Role
from clawtap_core.server.connections import SOCKET
from clawtap_core.server.context import server_of
from clawtap_core.server.devices import Devices
from clawtap_core.server.owner_token import open_devices, owner_token
from clawtap_core.server.pairing import Access
from clawtap_core.server.user_agent import device_name


def test_the_devices_name_is_the_actors(stranger: Any, fake: Any) -> None:
    login(stranger, token=TOKEN, name="phone")
    stranger.post("/api/sessions/s1/approve", json={"requestId": "r1"})
    assert fake.said[-1][-1] == "phone"


def test_a_browser_without_a_name_gets_one(stranger: Any) -> None:
    agent = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"
    answer = stranger.post("/api/login", json={"token": TOKEN}, headers={"User-Agent": agent})
    assert answer.get_json()["device"]["name"] == "Chrome on Android"
    assert device_name("") == "Browser"


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


@pytest.fixture
def phone(client: Any, connection: Any) -> tuple[str, dict[str, Any]]:
    """The id of a device, and what its requests over the connection carry."""
    made = client.post("/api/devices", json={"name": "phone"}).get_json()
    request = {"headers": bearer(made["token"]), "environ_overrides": {SOCKET: connection[0]}}
    return made["device"]["id"], request


def test_a_revoked_device_loses_the_connection_that_serves_it(
    app: Any, client: Any, connection: Any, phone: Any
) -> None:
    (_, theirs), (device, request) = connection, phone
    stream = app.test_client().get("/api/events", buffered=False, **request)
    assert is_open(theirs)
    client.delete(f"/api/devices/{device}")
    assert not is_open(theirs)
    stream.close()


def test_a_connection_that_no_longer_serves_a_device_is_not_ended_with_it(
    app: Any, client: Any, connection: Any, phone: Any
) -> None:
    (_, theirs), (device, request) = connection, phone
    app.test_client().get("/api/sessions", **request).close()
    client.delete(f"/api/devices/{device}")
    assert is_open(theirs)


def test_a_device_that_revokes_itself_gets_its_reply(app: Any, connection: Any) -> None:
    ours, theirs = connection
    browser = app.test_client()
    device = login(browser, token=TOKEN).get_json()["device"]["id"]
    gone = browser.delete(f"/api/devices/{device}", environ_overrides={SOCKET: ours})
    assert gone.status_code == 200
    assert is_open(theirs)
