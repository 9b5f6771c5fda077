"""Redis over TLS, for a user who may do little, too old, and with connections that others close.

REDIS_SERVER names another server for all tests of the fleet, such as valkey-server.
"""

from __future__ import annotations

import re
import socket
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from patience import until
from redis_link import RedisLink
from toy_fleet import meet, prompt_seen, session_seen, start

from clawtap_core import PromptState, Response
from clawtap_core.errors import ClawTapError
from clawtap_core.fleet.access import SharedAccess
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.redis_client import check, connect
from clawtap_core.model import MachineState, Role
from clawtap_core.server.hub_access import HubDevices, HubPairingCodes
from clawtap_core.server.lan.authority import make_authority, sign
from clawtap_core.server.pairing import Access

pytestmark = pytest.mark.redis
DOCS = Path(__file__).parents[2] / "docs" / "fleet.md"


@pytest.fixture
def tls(redis_server, tmp_path, request):
    """The port on which Redis speaks TLS, and the file of the authority that vouches for it.

    Its certificate was made today, or on the day of the parameter.
    """
    now = datetime.now(timezone.utc)
    authority = make_authority(["localhost"], now - timedelta(days=1))
    files = {name: tmp_path / f"{name}.pem" for name in ("cert", "key", "ca")}
    files["ca"].write_text(authority.pem)
    signed = sign(authority, ["localhost"], [], getattr(request, "param", now)).pem
    files["cert"].write_text(signed)
    files["key"].write_text(signed)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    redis_server.stop()
    redis_server.start(
        *("--tls-port", str(port), "--tls-cert-file", str(files["cert"])),
        *("--tls-key-file", str(files["key"]), "--tls-ca-cert-file", str(files["ca"])),
        *("--tls-auth-clients", "no", "--bind", "127.0.0.1"),
    )
    return port, files["ca"]


def refusal(url):
    with pytest.raises(ClawTapError) as caught:
        check(connect(url), FleetKey.new(url))
    return caught.value


def use_everything(desk, laptop, tmp_path):
    """Answer, write and watch through the other machine, and let a message wait for it."""
    meet(desk, laptop)
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED
    until(lambda: session_seen(desk, session_id).state.value == "idle")
    assert desk.tap.message(session_id, "now").status == "sent"
    with desk.fleet.following(
        laptop.fleet.machine.id, session_id, screens=True, idle=0.1
    ) as followed:
        laptop.program.history.append("a line more")
        until(lambda: laptop.desk.show() or getattr(next(followed), "type", "") == "screen")
    laptop.sleep()
    until(lambda: desk.sees("laptop").machine.state is MachineState.AWAY)
    kept, lost = (desk.tap.message(session_id, text) for text in ("later", "never"))
    desk.tap.edit_queued(session_id, kept.message_id, "much later")
    desk.tap.take_back(session_id, lost.message_id)
    laptop.wake()
    until(lambda: laptop.program.messages == ["now", "much later"])
    meet(desk, laptop)


def test_a_fleet_over_tls_with_an_authority_of_its_own(tls, machine, tmp_path):
    port, ca = tls
    key = FleetKey.new(f"rediss://localhost:{port}?ssl_ca_certs={ca}")
    use_everything(machine("desk", key=key), machine("laptop", key=key), tmp_path)


def test_a_redis_that_nobody_vouches_for_is_not_spoken_to(tls, tmp_path):
    port, ca = tls
    for url in (f"rediss://localhost:{port}", f"rediss://127.0.0.1:{port}?ssl_ca_certs={ca}"):
        error = refusal(url)
        assert error.code == "redis_unreachable"
        assert re.match(r"the certificate of the Redis at \S+ is refused: ", error.message)
        assert "?ssl_ca_certs=FILE" in error.message
    other = tmp_path / "other.pem"
    other.write_text(make_authority(["localhost"], datetime.now(timezone.utc)).pem)
    assert "is refused: " in refusal(f"rediss://localhost:{port}?ssl_ca_certs={other}").message
    error = refusal(f"rediss://localhost:{port}?ssl_ca_certs=/nowhere/ca.pem")
    assert error.code == "redis_unreachable"
    assert "(no such file: /nowhere/ca.pem)" in error.message
    assert refusal(f"redis://localhost:{port}").code == "redis_unreachable"


@pytest.mark.parametrize("tls", [datetime(2020, 1, 1, tzinfo=timezone.utc)], indirect=True)
def test_a_redis_whose_certificate_has_expired_leaves_a_machine_alone(tls, machine, tmp_path):
    port, ca = tls
    desk = machine("desk", key=FleetKey.new(f"rediss://localhost:{port}?ssl_ca_certs={ca}"))
    words = "the certificate of the Redis at rediss://localhost:"
    until(lambda: (desk.fleet.problem or "").startswith(words))
    assert "is refused: certificate has expired" in desk.fleet.problem
    session_id = start(desk, tmp_path, "ls")
    prompt = prompt_seen(desk, session_id)
    ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
    assert ended.state is PromptState.ANSWERED


def test_the_documented_acl_is_enough_for_all_that_a_fleet_does(machine, redis_server, tmp_path):
    rule = re.search(r"^ACL SETUSER clawtap (.*)$", DOCS.read_text("utf-8"), re.MULTILINE)
    assert rule, "docs/fleet.md shows no ACL"
    redis_server.cli("acl", "setuser", "clawtap", *rule[1].replace("PASSWORD", "pw").split())
    key = FleetKey.new(f"unix://clawtap:pw@{redis_server.socket}")
    desk, laptop = machine("desk", key=key), machine("laptop", key=key)
    use_everything(desk, laptop, tmp_path)
    shared = SharedAccess(connect(key.redis_url), key)
    devices = HubDevices(tmp_path / "devices.json", shared.owner_token, shared)
    device, token = devices.add("phone", role=Role.ANSWER)
    assert devices.find(token)
    devices.revoke(device.id)
    codes = HubPairingCodes(shared)
    codes.cancel(codes.issue(Access(Role.WATCH, "Ben", device.id)).invitation.id)
    assert codes.use(codes.issue().code)
    redis_server.cli("flushall")
    until(lambda: redis_server.keys("*state*"))
    meet(desk, laptop)
    laptop.settings.fleet_key.unlink()
    until(lambda: not desk.sees("laptop"))
    assert desk.fleet.problem is None
    # redis-py may not name itself, which it does not need. Redis 6.2 names only the command.
    refused = re.findall(r"^object\n(.*)", redis_server.cli("acl", "log"), re.MULTILINE)
    version = redis_server.cli("info", "server").partition("redis_version:")[2]
    assert set(refused) <= {"client" if version.startswith("6.") else "client|setinfo"}


def test_a_cluster_and_a_replica_are_refused(redis_server):
    redis_server.cli("replicaof", "127.0.0.1", "1")
    error = refusal(redis_server.url)
    assert (error.code, "read only replica" in error.message) == ("redis_refuses", True)
    redis_server.stop()
    redis_server.start("--cluster-enabled", "yes")
    error = refusal(redis_server.url)
    assert (error.code, "is part of a cluster" in error.message) == ("redis_cluster", True)


def test_a_redis_that_is_too_old_leaves_a_machine_alone(fleet_key, machine, redis_server, tmp_path):
    link = RedisLink(
        tmp_path / "old.sock",
        redis_server.socket,
        lambda data: re.sub(rb"redis_version:\d", b"redis_version:5", data),
    )
    try:
        old = FleetKey(fleet_key.fleet, fleet_key.secret, link.url)
        desk = machine("desk", key=old)
        until(lambda: "a fleet needs 6.2 or newer" in (desk.tap.machines()[0].detail or ""))
        session_id = start(desk, tmp_path, "ls")
        prompt = prompt_seen(desk, session_id)
        ended = desk.tap.respond(session_id, Response(prompt.request_id, "yes"))
        assert ended.state is PromptState.ANSWERED
        desk.stop()
    finally:
        link.close()


def test_a_command_whose_connection_is_closed_meanwhile_fails_like_any_other(redis_server):
    from redis.exceptions import RedisError

    client, raised, done = connect(redis_server.url), [], threading.Event()

    def work():
        while not done.is_set():
            try:
                with client.pipeline(transaction=True) as pipe:
                    pipe.set("key", "x" * 3000)
                    pipe.get("key")
                    pipe.execute()
            except Exception as error:
                raised.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        client.connection_pool.disconnect()
    done.set()
    for thread in threads:
        thread.join()
    client.close()
    assert {type(each) for each in raised if not isinstance(each, (RedisError, OSError))} == set()
