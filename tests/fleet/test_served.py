"""Two `clawtap serve` of one fleet, each with its own tmux: what users and scripts see of it."""

from __future__ import annotations

import io
import json
import threading
import time

import pytest
from click.testing import CliRunner
from patience import until
from served_fleet import ask, prompt_of

from clawtap_core.cli.app import cli
from clawtap_core.client import HttpTransport
from clawtap_core.client.mcp import McpServer
from clawtap_core.testing.server_process import TOKEN

pytestmark = [pytest.mark.redis, pytest.mark.process, pytest.mark.tmux]


def acquaint(desk, laptop):
    """Wait until the desk shows what happens at the laptop."""
    session_id = laptop.client.post("/api/prompts", {"type": "permission", "title": "x"}).body
    until(lambda: prompt_of(desk, session_id["sessionId"]), 60)


def test_a_prompt_of_one_machine_is_answered_on_the_other(serve, tmp_path):
    desk, laptop = serve("desk"), serve("laptop")
    acquaint(desk, laptop)
    events = desk.client.events()
    events.wait("snapshot")
    session_id = ask(laptop, tmp_path)
    prompt = until(lambda: prompt_of(desk, session_id), 60)
    asked = events.wait("approval_required", where=lambda data: data["sessionId"] == session_id)
    assert asked.data["requestId"] == prompt["requestId"]
    listed = {one["id"]: one["machine"] for one in desk.client.get("/api/sessions").body}
    assert (listed[session_id]["name"], listed[session_id]["state"]) == ("laptop", "online")
    body = {"requestId": prompt["requestId"]}
    approved = desk.client.post(f"/api/sessions/{session_id}/approve", body)
    assert (approved.status, approved.body["state"]) == (200, "answered"), approved.body
    events.wait("prompt_resolved", where=lambda data: data["requestId"] == prompt["requestId"])
    again = laptop.client.post(f"/api/sessions/{session_id}/approve", body)
    assert again.status == 409
    assert "answered by user (desk) with" in again.body["error"]
    page = desk.client.get("/api/machines").body
    assert [(one["name"], one.get("here", False)) for one in page] == [
        ("desk", True),
        ("laptop", False),
    ]
    events.close()


def test_a_hub_names_the_machine_at_which_a_prompt_was_answered(serve, tmp_path):
    laptop, hub = serve("laptop"), serve("hub", command="hub")
    session_id = ask(laptop, tmp_path)
    prompt = until(lambda: prompt_of(hub, session_id), 60)
    body, path = {"requestId": prompt["requestId"]}, f"/api/sessions/{session_id}/approve"
    assert laptop.client.post(path, body).status == 200
    until(lambda: not prompt_of(hub, session_id), 60)
    late = hub.client.post(path, body)
    assert (late.status, late.body["details"]["device"]) == (409, "laptop"), late.body
    assert "answered by user (laptop) with" in late.body["error"]
    runner = CliRunner(env={"CLAWTAP_TOKEN": TOKEN, "HOME": str(tmp_path)})
    shown = runner.invoke(cli, ["journal", "--latest", "--url", hub.url]).output
    assert "by user on laptop" in shown
    page = hub.client.get("/journal").body
    assert "<span>From laptop</span>" in page
    assert "From local" not in page


def test_the_python_client_answers_an_agent_on_another_machine_through_a_hub(serve):
    laptop, hub = serve("laptop"), serve("hub", command="hub")
    until(lambda: [one["state"] for one in hub.client.get("/api/machines").body] == ["online"], 60)
    out, hang_up = io.StringIO(), threading.Event()
    arguments = {"question": "Colour?", "options": ["Blue", "Red"]}
    params = {"name": "ask_human", "arguments": arguments}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    def lines():
        yield json.dumps(call)
        hang_up.wait(60)

    server = McpServer(HttpTransport(hub.url, TOKEN).at("laptop"), out, asker="Claude")
    serving = threading.Thread(target=server.run, args=(lines(),))
    serving.start()
    tap = HttpTransport(hub.url, TOKEN)
    prompt = until(lambda: next(iter(tap.pending()), None), 60)
    assert tap.session(prompt.session_id).machine.name == "laptop"
    ended = tap.submit_answers(prompt.session_id, prompt.request_id, {"0": "Red"})
    assert (ended.state.value, ended.resolution.device) == ("answered", "hub")
    until(lambda: "Red" in out.getvalue(), 60)
    hang_up.set()
    serving.join(60)
    assert json.loads(out.getvalue())["result"]["content"] == [{"type": "text", "text": "Red"}]
    assert laptop.client.get(f"/api/prompts/{prompt.request_id}").body["state"] == "answered"


def test_the_api_the_client_and_the_command_line_name_a_machine(serve, tmp_path):
    desk, laptop = serve("desk"), serve("laptop")
    acquaint(desk, laptop)
    begun = desk.client.post(
        "/api/sessions?machine=laptop", {"adapter": "demo", "cwd": str(tmp_path)}
    )
    assert (begun.status, begun.body["machine"]["name"]) == (201, "laptop"), begun.body
    session_id = begun.body["id"]
    assert laptop.client.get(f"/api/sessions/{session_id}").body["machine"]["here"]
    there = HttpTransport(desk.url, TOKEN).at("laptop")
    assert [one.path for one in there.folders()] == [str(tmp_path)]
    assert session_id in [one.id for one in there.sessions()]
    assert there.at("desk").sessions() == []
    flags = ("--url", desk.url, "--machine", "laptop")
    runner = CliRunner(env={"CLAWTAP_TOKEN": TOKEN, "HOME": str(tmp_path)})
    listed = runner.invoke(cli, ["ls", *flags]).output
    assert "MACHINE" in listed
    assert "laptop" in listed
    named = runner.invoke(cli, ["new", "demo", "--cwd", str(tmp_path), "--json", *flags])
    assert '"name": "laptop"' in named.output, named.output
    trips = runner.invoke(cli, ["fleet", "ls", "--url", desk.url]).output
    assert "ROUND TRIP" in trips
    assert " ms" in trips
    for name in ("printer", ""):
        unknown = desk.client.get(f"/api/folders?machine={name}")
        assert (unknown.status, unknown.body["code"]) == (404, "machine_not_found")


def test_a_machine_that_is_killed_comes_back_with_the_same_prompt(serve, tmp_path):
    desk, laptop = serve("desk"), serve("laptop", away=3.0)
    session_id = ask(laptop, tmp_path)
    prompt = until(lambda: prompt_of(desk, session_id), 60)
    laptop.kill()
    path = f"/api/sessions/{session_id}"
    until(lambda: desk.client.get(path).body["state"] == "lost", 60)
    away = desk.client.post(f"{path}/approve", {"requestId": prompt["requestId"]})
    assert (away.status, away.body["code"]) == (503, "machine_away")
    laptop.start()
    until(lambda: desk.client.get(path).body["state"] == "waiting", 60)
    approved = desk.client.post(f"{path}/approve", {"requestId": prompt["requestId"]})
    assert (approved.status, approved.body["state"]) == (200, "answered"), approved.body


def test_redis_that_hangs_or_dies_holds_up_no_request_and_no_stop(serve, tmp_path, redis_server):
    desk, laptop = serve("desk"), serve("laptop")
    session_id = ask(laptop, tmp_path)
    until(lambda: prompt_of(desk, session_id), 60)
    redis_server.pause()
    began = time.monotonic()
    mine = ask(desk, tmp_path)
    prompt = until(lambda: prompt_of(desk, mine), 60)
    answer = {"requestId": prompt["requestId"]}
    assert desk.client.post(f"/api/sessions/{mine}/approve", answer).status == 200
    assert desk.client.get("/healthz").status == 200
    until(lambda: desk.client.get(f"/api/sessions/{session_id}").body["state"] == "lost", 60)
    assert time.monotonic() - began < 60
    desk.stop()
    redis_server.resume()
    redis_server.stop()
    laptop.stop()
