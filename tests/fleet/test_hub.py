"""Hubs: the web side alone, several at once, which let in whom one of them let in."""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
import requests
from click.testing import CliRunner
from patience import until
from served_fleet import ask, prompt_of
from toy_fleet import start

from clawtap_core.cli.app import cli
from clawtap_core.config import Settings
from clawtap_core.errors import NotFound, Unavailable, UsageError
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.fleet.key_file import FleetKey, write_key
from clawtap_core.fleet.redis_client import connect
from clawtap_core.fleet.view import FleetView
from clawtap_core.model import Actor, Role
from clawtap_core.runtime import open_hub
from clawtap_core.server.devices import digest
from clawtap_core.server.hub_access import HubDevices, HubPairingCodes
from clawtap_core.server.pairing import Access
from clawtap_core.testing.api_client import Client
from clawtap_core.testing.server_process import TOKEN

pytestmark = pytest.mark.redis


@pytest.fixture
def shared(fleet_key):
    return SharedAccess(connect(fleet_key.redis_url), fleet_key)


@pytest.fixture
def hub_devices(tmp_path, shared):
    """Makes the devices of a hub: hub_devices("a")."""

    def make(name):
        return HubDevices(tmp_path / name / "devices.json", shared.owner_token, shared)

    return make


def test_a_hub_serves_once_it_has_read_the_machines(pair, tmp_path, fleet_key):
    desk, _ = pair
    names = {start(one, tmp_path) for one in pair}
    until(lambda: {one.id for one in desk.tap.sessions()} == names)
    with hub_view(tmp_path / "hub", fleet_key) as view:
        view.wait_until_read()
        tap = FleetTransport(view, view._local.transport(Actor()), Actor())
        assert {one.id for one in tap.sessions()} == names


def test_a_hub_serves_also_while_it_cannot_read_them(tmp_path, fleet_key, redis_server):
    redis_server.stop()
    with hub_view(tmp_path / "hub", fleet_key) as view:
        view.wait_until_read()
        assert "no Redis answers" in view.problem


@contextmanager
def hub_view(folder, key):
    """What a hub sees that has just started."""
    settings = Settings(data_dir=folder)
    folder.mkdir()
    write_key(settings.fleet_key, key)
    view = FleetView(settings, key, open_hub(settings))
    view.start()
    with closing(view), closing(view._local):
        yield view


def test_a_device_that_one_hub_let_in_is_known_to_the_next(hub_devices):
    one, two = hub_devices("one"), hub_devices("two")
    device, token = one.add("phone", role=Role.ANSWER)
    known = two.find(token)
    assert (known.id, known.name, known.role) == (device.id, "phone", Role.ANSWER)
    assert two.find("another") is None


def test_a_device_that_one_hub_shut_out_is_shut_out_everywhere(hub_devices):
    one, two = hub_devices("one"), hub_devices("two")
    device, token = one.add("phone")
    two.find(token)
    ended = []
    one.on_revoke(ended.append)
    two.revoke(device.id)
    one.refresh()
    assert ended == [device.id]
    assert one.find(token) is None
    one.refresh()
    assert two.find(token) is None


def test_a_device_that_a_hub_with_a_full_disk_revoked_is_shut_out_everywhere(
    hub_devices, fill_disk
):
    one, two = hub_devices("one"), hub_devices("two")
    device, token = one.add("phone")
    two.find(token)

    fill_disk()
    with pytest.raises(UsageError, match="No space left"):
        one.revoke(device.id)
    one.refresh()
    two.refresh()
    assert one.find(token) is two.find(token) is None


def test_devices_come_back_into_an_empty_redis_and_revoked_ones_do_not(hub_devices, redis_server):
    one, two = hub_devices("one"), hub_devices("two")
    stays, lost = one.add("stays"), one.add("lost")
    two.refresh()
    two.revoke(lost[0].id)
    redis_server.cli("flushall")
    one.refresh()
    two.refresh()
    one.refresh()
    assert one.find(stays[1])
    assert one.find(lost[1]) is None
    assert hub_devices("three").find(stays[1])
    assert hub_devices("three").find(lost[1]) is None
    assert hub_devices("two").find(lost[1]) is None


def test_without_redis_a_hub_knows_who_was_let_in_and_lets_nobody_in(hub_devices, redis_server):
    one = hub_devices("one")
    device, token = one.add("phone")
    redis_server.stop()
    assert one.find(token).id == device.id
    with pytest.raises(Unavailable):
        one.add("another")
    assert [each.name for each in one.all()] == ["local", "phone"]
    one.revoke(device.id)
    redis_server.start()
    one.refresh()
    assert hub_devices("two").find(token) is None


def test_redis_learns_no_token_name_or_role(hub_devices, shared, redis_server):
    _, token = hub_devices("one").add("Annalena's phone")
    code = HubPairingCodes(shared).issue(Access(Role.WATCH, "Benedikt")).code
    keys = redis_server.keys()
    kept = "".join(redis_server.cli("hgetall", key) for key in keys)
    for secret in (token, digest(token), "Annalena", "Benedikt", "watch", code, shared.owner_token):
        assert secret not in kept


def test_a_code_of_one_hub_is_taken_once_by_another(shared):
    one, two = HubPairingCodes(shared), HubPairingCodes(shared)
    issued = one.issue(Access(Role.WATCH, by="device"))
    code = issued.code
    assert one.use_of(issued.id).valid
    assert two.use(code.lower()) == Access(Role.WATCH, "", "device")
    assert one.use(code) is None
    assert not one.use_of(issued.id).valid
    assert two.use("no-code") is None


def test_of_many_that_take_a_code_at_once_one_gets_it(shared, fleet_key):
    code = HubPairingCodes(shared).issue().code
    hubs = [
        HubPairingCodes(SharedAccess(connect(fleet_key.redis_url), fleet_key)) for _ in "123456"
    ]
    taken = []
    threads = [threading.Thread(target=lambda h=hub: taken.append(h.use(code))) for hub in hubs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([access for access in taken if access]) == 1


def test_invitations_are_listed_and_ended_at_any_hub(shared):
    one, two = HubPairingCodes(shared), HubPairingCodes(shared)
    issued = one.issue(Access(Role.ANSWER, "Ben", "device"))
    assert [each.name for each in two.invitations()] == ["Ben"]
    two.cancel(issued.invitation.id)
    assert one.use(issued.code) is None
    code = one.issue(Access(Role.ANSWER, "Ben", "device")).code
    two.revoke("device")
    assert one.use(code) is None


def test_an_old_code_is_void(shared):
    late = HubPairingCodes(shared)
    code = late.issue().code
    late._clock = lambda: 4e9
    assert late.use(code) is None
    assert late.invitations() == []


def test_a_code_expires_by_the_clock_of_redis(shared, monkeypatch):
    hub, (now, _) = HubPairingCodes(shared), shared._client.time()
    code = hub.issue().code
    monkeypatch.setattr(shared._client, "time", lambda: (now + 3600, 0))
    assert hub.use(code) is None
    monkeypatch.setattr(shared._client, "time", lambda: (now - 7200, 0))
    assert hub.issue().expires_at.timestamp() < now


def test_another_fleet_has_another_owner_token(shared, fleet_key):
    other = FleetKey.new(fleet_key.redis_url)
    assert SharedAccess(connect(other.redis_url), other).owner_token != shared.owner_token


@pytest.mark.process
@pytest.mark.tmux
def test_two_hubs_answer_at_once_and_one_of_them_wins(serve, tmp_path):
    desk = serve("desk")
    hubs = [serve("hub-a", command="hub"), serve("hub-b", command="hub")]
    session_id = ask(desk, tmp_path)
    prompt = until(lambda: all(prompt_of(hub, session_id) for hub in hubs), 60)
    prompt = prompt_of(hubs[0], session_id)
    replies = []

    def approve(hub):
        path = f"/api/sessions/{session_id}/approve"
        replies.append(hub.client.post(path, {"requestId": prompt["requestId"]}))

    threads = [threading.Thread(target=approve, args=(hub,)) for hub in hubs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won, lost = sorted(replies, key=lambda reply: reply.status)
    assert (won.status, won.body["state"]) == (200, "answered"), won.body
    assert (lost.status, "user (hub-" in lost.body["error"]) == (409, True), lost.body


@pytest.mark.process
@pytest.mark.tmux
def test_a_browser_that_logged_in_at_one_hub_goes_on_at_another(serve, tmp_path):
    desk = serve("desk")
    one, two = serve("hub-a", command="hub"), serve("hub-b", command="hub")
    session_id = ask(desk, tmp_path)
    until(lambda: prompt_of(two, session_id), 60)
    code = one.client.post("/api/devices/pairing", {}).body["code"]
    browser = requests.Session()
    assert browser.post(f"{two.url}/api/login", json={"code": code, "name": "phone"}).ok
    # The load balancer has one address: cookies do not know the ports behind it.
    page = browser.get(f"{one.url}/", headers={"Accept": "text/html"}, allow_redirects=False)
    assert (page.status_code, "desk" in page.text) == (200, True)
    devices = one.client.get("/api/devices").body
    phone = next(each for each in devices if each["name"] == "phone")
    assert one.client.delete(f"/api/devices/{phone['id']}").status == 200
    until(lambda: browser.get(f"{two.url}/api/sessions").status_code == 401, 60)


@pytest.mark.process
@pytest.mark.tmux
def test_a_hub_runs_nothing_and_lists_the_machines_only(serve, tmp_path):
    desk, hub = serve("desk"), serve("hub-a", command="hub")
    until(lambda: hub.client.get("/api/machines").body, 60)
    assert [one["name"] for one in hub.client.get("/api/machines").body] == ["desk"]
    refused = hub.client.post("/api/sessions", {"adapter": "demo", "cwd": str(tmp_path)})
    assert (refused.status, refused.body["code"]) == (422, "on_a_hub"), refused.body
    named = {"adapter": "demo", "cwd": str(tmp_path)}
    begun = hub.client.post("/api/sessions?machine=desk", named)
    assert (begun.status, begun.body["machine"]["name"]) == (201, "desk"), begun.body
    assert "demo" in [one["id"] for one in hub.client.get("/api/adapters").body]
    asked = hub.client.post("/api/prompts", {"type": "permission", "title": "x"})
    assert (asked.status, asked.body["title"]) == (201, "x"), asked.body
    asker = f"/api/sessions/{asked.body['sessionId']}"
    until(lambda: desk.client.get(asker).body.get("state") == "waiting")
    assert hub.client.get(asker).body["machine"]["name"] == "desk"
    until(lambda: len(desk.client.get("/api/machines").body) == 1)
    for path in ("/", "/new", "/history", "/journal", "/settings", "/rules", "/find?q=x"):
        page = hub.client.get(path)
        assert page.status == 200, (path, page.body)
        # A hub has no --lan.
        assert "clawtap serve" not in str(page.body), path


@pytest.mark.process
@pytest.mark.tmux
def test_all_hubs_have_one_owner_token(serve, fleet_key, shared):
    hub = serve("hub-a", command="hub", token=None)
    assert (hub.data / "token").read_text().strip() == shared.owner_token
    assert Client(hub.url, shared.owner_token).get("/api/sessions").status == 200


def test_a_hub_whose_redis_never_answered_says_why_it_knows_no_machine(tmp_path, fleet_key):
    unreachable = replace(fleet_key, redis_url="unix:///nowhere/at/all.sock")
    settings = Settings(data_dir=tmp_path)
    write_key(settings.fleet_key, unreachable)
    runtime = open_hub(settings)
    view = FleetView(settings, unreachable, runtime)
    hub = FleetTransport(view, runtime.transport(Actor()), Actor())
    try:
        assert hub.machines() == []
        view.start()
        for ask in (hub.machines, lambda: hub.at("desk"), lambda: hub.session("s1")):
            until(lambda ask=ask: _refused(ask))
        # An empty list would say that nothing waits.
        for ask in (hub.sessions, hub.pending):
            assert _refused(ask)
    finally:
        runtime.close()
        view.close()


def _refused(ask):
    try:
        ask()
    except Unavailable as error:
        words = "the sessions of the fleet cannot be reached: no Redis answers at unix:///nowhere"
        return error.message.startswith(words)
    except NotFound:
        pass  # it was not tried yet
    return False


@pytest.mark.process
def test_the_list_of_a_hub_without_redis_says_why(fleet_key, redis_server, serve, tmp_path):
    redis_server.stop()
    hub = serve("hub-a", command="hub")
    reply = until(
        lambda: (one := hub.client.get("/api/machines")).status == 503 and one.body,
    )
    assert "no Redis answers at unix://" in reply["error"]
    runner = CliRunner(env={"CLAWTAP_TOKEN": TOKEN, "HOME": str(tmp_path)})
    listed = runner.invoke(cli, ["fleet", "ls", "--url", hub.url])
    assert (listed.exit_code, "no Redis answers" in listed.output) == (1, True), listed.output
    for path, status in (("/settings", 200), ("/", 200), ("/api/pending", 503)):
        page = hub.client.get(path)
        assert (page.status, "no Redis answers" in str(page.body)) == (status, True), path
    redis_server.start()
    until(lambda: "no Redis answers" not in hub.client.get("/").body)
