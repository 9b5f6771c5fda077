"""clawtap fleet create, join, ls and leave, and what is wrong with a Redis."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from patience import until

from clawtap_core.cli.app import cli
from clawtap_core.errors import ClawTapError
from clawtap_core.fleet import key_file, redis_client
from clawtap_core.fleet.key_file import FleetKey
from clawtap_core.fleet.keys import Keys
from clawtap_core.fleet.redis_client import check, commands, connect
from clawtap_core.journal.folder import make_private
from clawtap_core.model import Machine, MachineState, MachineStatus

redis = pytest.mark.redis
DOCS = Path(__file__).parents[2] / "docs" / "fleet.md"


@pytest.fixture
def run(isolated_home, monkeypatch):
    monkeypatch.setenv("CLAWTAP_TOKEN", "t")

    def run(*arguments, obj=None, text=None):
        return CliRunner().invoke(cli, ["fleet", *map(str, arguments)], obj=obj, input=text)

    return run


@redis
def test_a_fleet_is_made_joined_and_left(run, tmp_path, redis_server):
    one, two = tmp_path / "one", tmp_path / "two"
    made = run("create", "--redis", redis_server.url, "--data-dir", one)
    assert made.exit_code == 0, made.output
    line = next(line for line in made.output.splitlines() if line.startswith("clawtap fleet join"))
    assert "put another address after --redis" in made.output
    assert (one / "fleet.key").stat().st_mode & 0o777 == 0o600
    joined = run(*line.split()[2:], "--data-dir", two)
    assert joined.exit_code == 0, joined.output
    assert "nothing of this fleet" not in joined.output
    kept = [json.loads((folder / "fleet.key").read_text())["key"] for folder in (one, two)]
    assert kept[0] == kept[1]
    again = run("create", "--redis", redis_server.url, "--data-dir", one)
    assert (again.exit_code, "fleet_exists" in again.output) == (2, True)
    left = run("leave", "--data-dir", two)
    assert left.output.startswith("this machine left the fleet")
    assert not (two / "fleet.key").exists()
    assert "no_fleet" in run("leave", "--data-dir", two).output


@redis
def test_the_doctor_says_whether_redis_carries_the_fleet_and_adds_nothing_to_it(
    run, tmp_path, redis_server
):
    def finding():
        done = CliRunner().invoke(cli, ["doctor", "--json", "--data-dir", str(tmp_path / "data")])
        found = json.loads(done.stdout)["findings"]
        return next(each for each in found if each["check"] == "redis")

    run("create", "--redis", redis_server.url, "--data-dir", tmp_path / "data")
    key = json.loads((tmp_path / "data" / "fleet.key").read_text())["key"]
    assert finding()["level"] == "ok"
    proof = Keys(key.partition(".")[0]).proof
    client = connect(redis_server.url)
    client.delete(proof)
    assert finding()["level"] == "warning"
    assert "has nothing of this fleet" in finding()["text"]
    assert client.get(proof) is None
    client.set(proof, b"of another key")
    assert "does not fit" in finding()["text"]


@redis
def test_a_folder_that_cannot_be_written_is_named_and_nothing_is_left(run, tmp_path, redis_server):
    (tmp_path / "file").touch()
    made = run("create", "--redis", redis_server.url, "--data-dir", tmp_path / "file")
    assert (made.exit_code, "(data_dir_not_writable)" in made.output) == (1, True), made.output
    (proof,) = redis_server.keys("*:proof")
    assert int(redis_server.cli("pttl", proof)) > 0


@redis
def test_a_key_that_cannot_be_written_is_not_handed_over(run, tmp_path, redis_server, monkeypatch):
    folder = tmp_path / "one"
    assert run("create", "--redis", redis_server.url, "--data-dir", folder).exit_code == 0
    before = (folder / "fleet.key").read_text(), redis_server.keys("*:proof")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(key_file, "replace_file", full)
    failed = run("rekey", "--data-dir", folder)
    assert "fleet.key (No space left on device)" in failed.output
    assert before == ((folder / "fleet.key").read_text(), redis_server.keys("*:proof"))


@redis
def test_a_folder_that_was_made_before_can_be_used(run, tmp_path, redis_server):
    folder = tmp_path / "hub"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    assert run("create", "--redis", redis_server.url, "--data-dir", folder).exit_code == 0
    assert folder.stat().st_mode & 0o777 == 0o700
    # As an earlier version left it.
    folder.chmod(0o755)
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


@redis
def test_a_key_is_read_from_standard_input(run, tmp_path, redis_server):
    key = FleetKey.new(redis_server.url)
    options = ("-", "--redis", redis_server.url, "--data-dir", tmp_path)
    joined = run("join", *options, text=f"{key.text}\n")
    assert joined.exit_code == 0, joined.exception
    lines = joined.output.splitlines()
    assert lines[0] == f"this machine is in the fleet {key.fleet}"
    # Nobody made this fleet here: the address may be a wrong one.
    assert "has nothing of this fleet yet; if its other machines are online" in lines[1]


@pytest.mark.parametrize("key", ["", "x", "1234.abc", "a" * 12 + "." + "b" * 44])
def test_what_is_no_fleet_key_is_refused(run, tmp_path, key):
    result = run("join", key, "--redis", "redis://127.0.0.1", "--data-dir", tmp_path)
    assert (result.exit_code, "(fleet_key)" in result.output) == (2, True)


_FORM = "--redis-url: Must be redis://HOST:PORT, rediss://HOST:PORT or unix:///PATH"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        *((url, _FORM) for url in ("127.0.0.1:6379", "http://127.0.0.1", "redis://", "rediss://")),
        *((url, _FORM) for url in ("unix://", "redis://:6379", "redis:///0", "redis://[::1")),
        ("redis://:pass/word@h", "with %2F for a / in the password"),
        ("redis://h:port", "redis_url is not an address of Redis"),
        ("redis://h?socket_timeout=soon", "redis_url is not an address of Redis: Invalid value"),
        ("redis://h?colour=red", "redis_url has the option 'colour', which redis:// does not have"),
        ("redis://h?ssl_ca_certs=/ca.pem", "'ssl_ca_certs', which redis:// does not have"),
        ("rediss://h?ssl_cert_reqs=some", "Requirements Flag: some"),
    ],
)
def test_what_is_no_address_of_redis_is_refused(run, tmp_path, url, words):
    result = run("create", "--redis", url, "--data-dir", tmp_path)
    assert (result.exit_code, "(bad_setting)" in result.output) == (2, True), result.output
    assert words in result.output


@redis
def test_an_address_cannot_change_how_replies_are_read(redis_server):
    options = "decode_responses=True&protocol=3&socket_timeout=0.001"
    key = FleetKey.new(f"unix://{redis_server.socket}?{options}")
    client = connect(key.redis_url)
    check(client, key)
    assert isinstance(client.get(Keys(key.fleet).proof), bytes)
    client.close()


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000])
def test_a_damaged_key_file_is_explained(run, tmp_path, text):
    (tmp_path / "fleet.key").write_text(text)
    result = run("leave", "--data-dir", str(tmp_path))
    assert (result.exit_code, "cannot be read; remove the file" in result.output) == (2, True)


def test_the_list_shows_machines_and_why_one_is_alone(run):
    class Server:
        def machines(self, *, measure=False):
            return [
                MachineStatus(Machine("a1", "desk", here=True), "0.1", 2, 1, detail="no Redis"),
                MachineStatus(
                    Machine("c3", "server"), "0.1", round_trip=0.0014 if measure else None
                ),
                MachineStatus(Machine("b2", "lap\x1b[31mtop", MachineState.AWAY), "0.1"),
            ]

    shown = run("ls", "--url", "http://x", obj=lambda *_: Server()).output
    assert re.search(r"^desk +a1 +alone +2 +1 +0\.1$", shown, re.MULTILINE)
    assert re.search(r"^server +c3 +online +0 +1\.4 ms +0\.1$", shown, re.MULTILINE)
    assert re.search(r"^laptop +b2 +away", shown, re.MULTILINE)
    assert "desk: no Redis" in shown
    listed = run("ls", "--json", "--url", "http://x", obj=lambda *_: Server()).output
    assert json.loads(listed)[0] == {
        **{"id": "a1", "name": "desk", "state": "online", "here": True},
        **{"version": "0.1", "sessions": 2, "pending": 1, "detail": "no Redis"},
    }


def refusal(url, key=None):
    key = key or FleetKey.new(url)
    with pytest.raises(ClawTapError) as caught:
        check(connect(url), key)
    return caught.value


@redis
def test_no_redis_at_the_address(tmp_path, redis_server):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        error = refusal(f"redis://:secret@127.0.0.1:{closed.getsockname()[1]}/0")
    assert error.code == "redis_unreachable"
    assert error.message.startswith("no Redis answers at redis://127.0.0.1:")
    assert "secret" not in error.message
    assert "(Connection refused)" in error.message  # the address is named once
    assert refusal("unix:///nowhere/at/all.sock").code == "redis_unreachable"


@redis
def test_a_wrong_password(redis_server):
    redis_server.cli("config", "set", "requirepass", "right")
    for url in (redis_server.url, f"unix://:wrong@{redis_server.socket}"):
        error = refusal(url)
        assert error.code == "redis_refused"
        assert "wrong" not in error.message
    check(connect(f"unix://:right@{redis_server.socket}"), FleetKey.new(redis_server.url))


@redis
def test_each_command_that_an_acl_lacks_is_named(redis_server):
    for command in {name for name, *_ in commands("k")}:
        rules = ("on", ">pw", "~*", "allchannels", "+@all", f"-{command.lower()}")
        redis_server.cli("acl", "setuser", "app", "reset", *rules)
        error = refusal(f"unix://app:pw@{redis_server.socket}")
        assert error.code == "redis_not_allowed"
        assert re.search(rf"\b{command}\b", error.message), (command, error.message)
    redis_server.cli("acl", "setuser", "app", "reset", "on", ">pw", "~*", "+@all", "-info")
    assert "info" in refusal(f"unix://app:pw@{redis_server.socket}").message
    redis_server.cli("acl", "setuser", "app", "reset", "on", ">pw", "~other:*", "+@all")
    assert "~clawtap:" in refusal(f"unix://app:pw@{redis_server.socket}").message
    # In Redis 6.2 a new user may use all channels.
    rules = ("on", ">pw", "~*", "resetchannels", "&other:*", "+@all")
    redis_server.cli("acl", "setuser", "app", "reset", *rules)
    assert "&clawtap:" in refusal(f"unix://app:pw@{redis_server.socket}").message


@redis
@pytest.mark.parametrize(
    ("rules", "advice"),
    [
        (("allchannels", "+@all"), "may not use the fleet's keys; allow ~clawtap:{fleet}:*"),
        (
            ("allchannels", "+@all", "~clawtap:other:*"),
            "may not use the fleet's keys; allow ~clawtap:{fleet}:*",
        ),
        (
            ("resetchannels", "+@all", "~*"),
            "may not use the fleet's channels; allow &clawtap:{fleet}:*",
        ),
        (
            ("allchannels", "~*", "+@all", "-hget", "-xadd"),
            "may not use HGET, XADD; allow +hget +xadd",
        ),
    ],
)
def test_whoever_uses_a_redis_says_the_same_of_its_acl(
    run, tmp_path, machine, hub, redis_server, fleet_key, rules, advice
):
    check(connect(fleet_key.redis_url), fleet_key)  # the fleet is there
    redis_server.cli("acl", "setuser", "app", "reset", "on", ">pw", *rules)
    url = f"unix://app:pw@{redis_server.socket}"
    key = replace(fleet_key, redis_url=url)
    words = f"{advice.format(fleet=key.fleet)} in its ACL"
    one = machine("desk", key=key).fleet
    view, _ = hub(key=key)
    until(lambda: one.problem.endswith(words))
    until(lambda: view.problem.endswith(words))
    joined = run("join", key.text, "--redis", url, "--data-dir", tmp_path / "new")
    assert (joined.exit_code, words in joined.output) == (1, True), joined.output


@redis
def test_the_acl_of_the_documentation_is_enough(redis_server, machine):
    text = DOCS.read_text(encoding="utf-8")
    rule = re.search(r"^ACL SETUSER clawtap (.*)$", text, re.MULTILINE)
    assert rule, "docs/fleet.md shows no ACL"
    redis_server.cli("acl", "setuser", "clawtap", *rule[1].replace("PASSWORD", "pw").split())
    key = FleetKey.new(f"unix://clawtap:pw@{redis_server.socket}")
    desk, laptop = machine("desk", key=key), machine("laptop", key=key)
    until(lambda: desk.sees("laptop") and desk.sees("laptop").machine.state.value == "online")
    until(lambda: laptop.fleet.machine.id in desk.fleet.mirror.positions())
    assert desk.fleet.problem is None


@redis
def test_a_wrong_fleet_key(redis_server):
    key = FleetKey.new(redis_server.url)
    check(connect(key.redis_url), key)
    other = FleetKey(key.fleet, FleetKey.new("").secret, key.redis_url)
    error = refusal(key.redis_url, other)
    assert (error.code, key.fleet in error.message) == ("fleet_key_wrong", True)


@redis
def test_a_redis_that_evicts(redis_server):
    redis_server.cli("config", "set", "maxmemory", "100mb")
    redis_server.cli("config", "set", "maxmemory-policy", "allkeys-lru")
    error = refusal(redis_server.url)
    assert (error.code, "allkeys-lru" in error.message) == ("redis_evicts", True)
    redis_server.cli("config", "set", "maxmemory-policy", "noeviction")
    check(connect(redis_server.url), FleetKey.new(redis_server.url))


@pytest.mark.parametrize(
    ("version", "fits"), [("6.0.16", False), ("5", False), ("6.2.0", True), ("7.0.15", True)]
)
def test_a_redis_that_is_too_old(version, fits, monkeypatch):
    class OldRedis:
        def info(self, section):
            return {"redis_version": version}

    monkeypatch.setattr(redis_client, "_check_commands", lambda *_: None)
    monkeypatch.setattr(redis_client, "check_types", lambda *_: None)
    monkeypatch.setattr(redis_client, "check_proof", lambda *_: None)
    key = FleetKey.new("redis://old")
    if fits:
        check(OldRedis(), key)
        return
    with pytest.raises(ClawTapError) as caught:
        check(OldRedis(), key)
    assert caught.value.code == "redis_too_old"
    assert f"is version {version}" in caught.value.message
