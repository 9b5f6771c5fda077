"""Programs ask through any machine or hub: a machine keeps the question, anybody answers it."""

from __future__ import annotations

import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from fleet_pages import gone
from patience import until
from toy_fleet import keeper, meet, prompt_seen

from clawtap_core.cli.app import cli
from clawtap_core.client.ask import question
from clawtap_core.client.mcp import McpServer
from clawtap_core.errors import ClawTapError, Conflict, NotFound
from clawtap_core.fleet import mirror
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.model import Actor, Kind, PromptForm, PromptState, Response

pytestmark = pytest.mark.redis
DEPLOY = PromptForm(Kind.PERMISSION, "Deploy?")


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    monkeypatch.setattr(mirror, "LISTENS", 0.1)


@pytest.fixture
def background():
    with ThreadPoolExecutor() as pool:
        yield pool


def tap_of(view):
    """What a client of a hub has."""
    actor = Actor("user", "phone")
    return FleetTransport(view, view._local.transport(actor), actor)


def test_a_question_is_asked_on_the_machine_that_was_named(pair, background):
    desk, laptop = pair
    asked = desk.tap.at("laptop").ask(DEPLOY, asker="ci")
    assert prompt_seen(laptop).request_id == asked.request_id
    until(lambda: keeper(desk.tap, asked) == keeper(laptop.tap, asked) == "laptop")
    assert laptop.tap.session(asked.session_id).title == "ci"
    waiting = background.submit(desk.tap.wait, asked.request_id, 60)
    laptop.tap.deny(asked.session_id, asked.request_id, reason="not today")
    ended = waiting.result(60)
    assert (ended.state, ended.resolution.response.reason) == (PromptState.DENIED, "not today")
    assert desk.tap.at("laptop").wait(asked.request_id, 0) == ended


def test_a_hub_has_the_first_machine_that_is_online_keep_it(pair, hub, background):
    desk, laptop = pair
    view, pages = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    tap = tap_of(view)
    asked = tap.ask(question("Which?", options=("Blue", "Red")))
    assert tap.session(asked.session_id).title == "phone"
    until(lambda: keeper(laptop.tap, asked) == "desk")
    waiting = background.submit(tap.wait, asked.request_id, 60)
    prompt_seen(laptop, asked.session_id)
    laptop.tap.submit_answers(asked.session_id, asked.request_id, {"0": "Red"})
    assert waiting.result(60).resolution.response.answers == {"0": "Red"}
    body = {"type": "permission", "title": "Deploy?", "from": "ci"}
    over_http = pages.post("/api/prompts", json=body)
    assert over_http.status_code == 201
    name = over_http.json["requestId"]
    assert pages.get(f"/api/prompts/{name}?wait=0").json["state"] == "pending"
    assert pages.delete(f"/api/prompts/{name}").status_code == 200
    assert desk.tap.prompt(name).state is PromptState.CANCELLED
    gone(desk, laptop)
    desk.stop()
    until(lambda: not any(view.online(one) for one in view.mirror.ids()))
    with pytest.raises(ClawTapError) as caught:
        tap.ask(DEPLOY)
    assert (caught.value.status, caught.value.code) == (503, "machine_away")


def test_a_secret_answer_comes_to_who_waits_and_once(pair):
    desk, laptop = pair
    asked = desk.tap.at("laptop").ask(question("Token?", secret=True))
    laptop.tap.submit_answers(asked.session_id, asked.request_id, {"0": "hunter2"})
    seen = until(lambda: (p := desk.tap.prompt(asked.request_id)).state.open or p)
    assert "hunter2" not in str(seen)
    nobody = desk.tap.wait(asked.request_id, 60, listening=lambda: False)
    assert "hunter2" not in str(nobody)
    ended = desk.tap.wait(asked.request_id, 60)
    assert ended.resolution.response.answers == {"0": "hunter2"}
    assert "hunter2" not in str(desk.tap.wait(asked.request_id, 60))
    assert "hunter2" not in str(laptop.tap.journal().events)


def test_an_answer_that_was_given_while_nobody_looked_is_found(pair):
    desk, laptop = pair
    asked = desk.tap.at("laptop").ask(DEPLOY)
    desk.sleep()
    laptop.tap.approve(asked.session_id, asked.request_id)
    desk.wake()
    meet(desk, laptop)
    assert desk.tap.prompt(asked.request_id).state is PromptState.ANSWERED
    assert desk.tap.wait(asked.request_id, 60).state is PromptState.ANSWERED
    for look in (desk.tap.prompt, lambda name: desk.tap.wait(name, 0)):
        with pytest.raises(NotFound):
            look("nobody")


def test_a_question_waits_while_its_machine_is_away(pair, redis_server):
    desk, laptop = pair
    asked = desk.tap.at("laptop").ask(DEPLOY)
    laptop.sleep()
    until(lambda: not desk.fleet.online(laptop.fleet.machine.id))
    assert desk.tap.wait(asked.request_id, 0.2).state.open
    with pytest.raises(ClawTapError) as caught:
        desk.tap.wait("nobody", 0)
    assert caught.value.code == "machine_away"
    laptop.runtime.transport().approve(asked.session_id, asked.request_id)
    laptop.wake()
    meet(desk, laptop)
    ended = until(lambda: not (p := desk.tap.wait(asked.request_id, 1)).state.open and p)
    assert ended.state is PromptState.ANSWERED
    redis_server.stop()
    until(lambda: desk.fleet.problem)
    with pytest.raises(ClawTapError) as caught:
        desk.tap.wait("nobody", 0)
    assert caught.value.code == "machine_away"


def test_programs_of_one_name_on_two_machines_are_two(pair):
    desk, laptop = pair
    prompts = [one.tap.ask(DEPLOY, asker="ci") for one in pair]
    assert prompts[0].session_id != prompts[1].session_id
    until(lambda: len(desk.tap.pending()) == 2)
    for prompt in prompts:
        ended = desk.tap.approve(prompt.session_id, prompt.request_id)
        assert ended.state is PromptState.ANSWERED
    until(lambda: not laptop.tap.pending())


def test_a_rule_of_first_answers_holds_for_questions_too(pair):
    desk, laptop = pair
    asked = desk.tap.at("laptop").ask(DEPLOY)
    laptop.tap.approve(asked.session_id, asked.request_id)
    until(lambda: not desk.tap.pending())
    with pytest.raises(Conflict) as caught:
        desk.tap.respond(asked.session_id, Response(asked.request_id, decision="deny"))
    assert caught.value.code == "already_answered"


def answer(machine, label=None):
    """Answer the next prompt from another machine."""
    prompt = prompt_seen(machine)
    if label is None:
        machine.tap.approve(prompt.session_id, prompt.request_id)
    else:
        machine.tap.submit_answers(prompt.session_id, prompt.request_id, {"0": label})
    return prompt


def test_the_command_asks_through_a_hub_or_on_a_machine(
    pair, hub, background, isolated_home, monkeypatch
):
    desk, laptop = pair
    view, _ = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")

    def run(*arguments):
        env = {"CLAWTAP_URL": "http://fake"}
        return CliRunner().invoke(cli, arguments, env=env, obj=lambda *_: tap_of(view))

    asked = background.submit(run, "ask", "Deploy?")
    answer(laptop)
    assert (asked.result(60).exit_code, asked.result().stdout) == (0, "Approve\n")
    asked = background.submit(run, "ask", "--machine", "laptop", "Colour?", "-o", "Blue")
    prompt = answer(desk, "Blue")
    assert (asked.result(60).exit_code, asked.result().stdout) == (0, "Blue\n")
    assert keeper(desk.tap, prompt) == "laptop"
    unknown = run("ask", "--machine", "printer", "Deploy?")
    assert (unknown.exit_code, "no such machine: 'printer'" in unknown.stderr) == (1, True)


def test_an_agent_asks_over_mcp_through_a_hub(pair, hub):
    _, laptop = pair
    view, _ = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    out = io.StringIO()
    arguments = {"question": "Colour?", "options": ["Blue", "Red"]}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    call["params"] = {"name": "ask_human", "arguments": arguments}
    hang_up = threading.Event()

    def lines():
        yield json.dumps(call)
        hang_up.wait(60)

    server = McpServer(tap_of(view), out, asker="Claude")
    serving = threading.Thread(target=server.run, args=(lines(),))
    serving.start()
    answer(laptop, "Red")
    until(lambda: "Red" in out.getvalue())
    hang_up.set()
    serving.join(60)
    reply = json.loads(out.getvalue())
    assert reply["result"]["content"] == [{"type": "text", "text": "Red"}]
