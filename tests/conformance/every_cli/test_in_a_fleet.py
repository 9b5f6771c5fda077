"""A real CLI on one machine of a fleet, seen and answered through another machine and a hub."""

from __future__ import annotations

import shutil

import pytest
from every_cli import CLIS
from patience import until
from private_redis import MISSING, SERVER, PrivateRedis

from clawtap_core.config import Settings
from clawtap_core.fleet.key_file import FleetKey, write_key
from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server
from clawtap_core.testing.scripted.request_log import PATIENCE
from clawtap_core.testing.server_process import Served

pytestmark = pytest.mark.redis
NEWEST = (("claude", "2.1.332"), ("gemini", "0.61.0"))
WORDS = "\n".join(f"word{number} of many" for number in range(20))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Joins servers of this module to one fleet: gives what writes the key into a data folder."""
    if not shutil.which(SERVER):
        pytest.skip(MISSING)
    redis = PrivateRedis(tmp_path_factory.mktemp("redis"))
    redis.start()
    key = FleetKey.new(redis.url)

    def join(data):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_key(Settings(data_dir=data).fleet_key, key)

    yield join
    redis.stop()


@pytest.fixture(scope="module", params=NEWEST, ids="-".join)
def testbed(request, fleet, tmp_path_factory):
    """One version of a CLI, on a machine of the fleet."""
    name, version = request.param
    testbed = CLIS[name].open(version, tmp_path_factory.mktemp(f"{name}-{version}"))
    testbed.cli = CLIS[name]
    fleet(testbed.served.data)
    yield testbed
    testbed.close()


@pytest.fixture(scope="module", params=["serve", "hub"])
def elsewhere(request, fleet, tmp_path_factory):
    """The owner's client of another machine, or of a hub."""
    folder = tmp_path_factory.mktemp(request.param)
    fleet(folder / "data")
    socket = f"{SOCKET_PREFIX}elsewhere" if request.param == "serve" else None
    named = ("--machine-name", f"the-{request.param}")
    served = Served(folder, tmux_socket=socket, subcommand=request.param, arguments=named)
    yield served.start().client
    served.stop()
    if socket:
        end_server(socket)


@pytest.fixture
def seen(elsewhere, talk):
    """The session's events, as they come elsewhere."""
    until(lambda: elsewhere.get(talk.path).status == 200, PATIENCE)
    events = elsewhere.events(f"{talk.path}/events?screen=1")
    yield events
    events.close()


def asked(seen, prompt):
    return seen.wait(
        "approval_required",
        where=lambda data: data["requestId"] == prompt["requestId"],
        seconds=PATIENCE,
    ).data


def test_a_prompt_is_seen_and_approved_through_another_machine(testbed, elsewhere, talk, seen):
    name = f"approved-{talk.id}.txt"
    prompt = talk.do(testbed.cli.turns.shell(f"touch {name}"))
    there = asked(seen, prompt)
    assert there["description"] == prompt["description"]
    reply = elsewhere.post(f"{talk.path}/approve", {"requestId": there["requestId"]})
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    talk.outputs()
    assert (talk.cwd / name).exists()
    assert reply.body["resolution"]["device"] in ("the-serve", "the-hub")
    talk.finish()
    late = elsewhere.post(f"{talk.path}/deny", {"requestId": there["requestId"]})
    assert late.status == 409


def test_a_prompt_is_refused_through_another_machine(testbed, elsewhere, talk, seen):
    name = f"refused-{talk.id}.txt"
    prompt = talk.do(testbed.cli.turns.shell(f"touch {name}"))
    reply = elsewhere.post(f"{talk.path}/deny", {"requestId": asked(seen, prompt)["requestId"]})
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    talk.idle()
    assert not (talk.cwd / name).exists()


def test_a_text_and_its_terminal_are_seen_while_it_streams(elsewhere, talk, seen):
    talk.play({"parts": [{"text": WORDS, "split": 25}], "chunk_delay": 0.2})
    reply = elsewhere.post(f"{talk.path}/message", {"message": "please count"})
    assert reply.status in (200, 202), reply
    part = seen.wait("text_delta", where=lambda data: "word3" in data["text"], seconds=PATIENCE)
    assert "word19" not in part.data["text"]
    seen.wait("screen", where=lambda data: "word3" in str(data), seconds=PATIENCE)
    seen.wait(
        "message",
        where=lambda data: data["role"] == "assistant" and "word19" in str(data),
        seconds=PATIENCE,
    )
    talk.idle()
