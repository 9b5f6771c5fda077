"""What belongs to one machine, asked of a hub without naming one: it lists the machines."""

from __future__ import annotations

import pytest
from click.testing import CliRunner
from fleet_pages import gone
from patience import until
from toy_fleet import prompt_seen, session_seen, start

from clawtap_core.cli.app import cli
from clawtap_core.fleet.fleet_transport import FleetTransport
from clawtap_core.model import Actor

pytestmark = pytest.mark.redis
SENTENCE = "this server is a hub, on which nothing runs; name a machine: desk, laptop"
RULE = {"name": "tests", "decision": "deny", "tool": "Bash"}
ROUTES = [
    ("GET", "/api/panes", None),
    ("GET", "/api/folders", None),
    ("GET", "/api/rules", None),
    ("GET", "/api/history/toy/nosuch", None),
    ("POST", "/api/sessions", {"adapter": "toy", "cwd": "/tmp"}),
    ("POST", "/api/sessions", {"adopt": "%1"}),
    ("POST", "/api/sessions/restore", {}),
    ("POST", "/api/sessions/restore", {"sessions": ["nosuch"], "dryRun": True}),
    ("POST", "/api/rules", {"rules": [RULE]}),
    ("POST", "/api/rules/try", {"rules": [RULE]}),
    ("DELETE", "/api/rules/tests", None),
    ("POST", "/api/adapters/toy/check", None),
]
COMMANDS = [
    "new toy",
    "run toy hello",
    "adopt",
    "adopt --json",
    "adopt %1",
    "restore",
    "restore --dry-run --json",
    "rules",
    "rules --json",
    "rules guard-rails",
    "rules try",
    "rules remove tests",
    "history toy nosuch",
]


@pytest.fixture
def view(pair, hub):
    """A hub that knows two machines, and its pages."""
    view, pages = hub()
    until(lambda: len(view.mirror.ids()) == 2)
    return view, pages


@pytest.mark.parametrize(("method", "path", "body"), ROUTES)
def test_a_route_names_the_machines(view, method, path, body):
    reply = view[1].open(path, method=method, json=body)
    assert (reply.status_code, reply.json["code"]) == (422, "on_a_hub"), reply.json
    assert reply.json["error"] == SENTENCE
    assert reply.json["details"] == {"machines": ["desk", "laptop"], "missing": "machine"}


@pytest.fixture
def run(view, pair, tmp_path):
    """Run `clawtap` against the hub."""
    actor = Actor()
    transport = FleetTransport(view[0], view[0]._local.transport(actor), actor)
    runner = CliRunner(env={"HOME": str(tmp_path), "CLAWTAP_TOKEN": "x", "NO_COLOR": "1"})

    def clawtap(line):
        args = [*line.split(), "--url", "http://hub"]
        return runner.invoke(cli, args, obj=lambda url, token, verify: transport)

    return clawtap


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_lists_the_machines_and_exits_as_for_wrong_use(run, line):
    done = run(line)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    assert done.stderr == f"error: {SENTENCE}; add --machine (on_a_hub)\n"


def test_a_prompt_of_another_machine_is_explained_by_the_rules_there(run, view, pair, tmp_path):
    _, laptop = pair
    prompt = prompt_seen(laptop, start(laptop, tmp_path, "rm theirs"))
    until(lambda: view[0].mirror.prompt(prompt.request_id))
    done = run(f"rules explain {prompt.request_id}")
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    assert done.stdout.startswith("ask: ")
    route = f"/api/prompts/{prompt.request_id}/rules"
    assert view[1].get(f"{route}?machine=laptop").json["judgement"]["decision"] == "ask"
    refused = view[1].get(route)
    assert (refused.status_code, refused.json["code"]) == (422, "other_machine")
    assert refused.json["error"].endswith("name it: laptop")
    assert refused.json["details"]["missing"] == "machine"


@pytest.mark.parametrize("line", ["adopt", "restore", "rules"])
def test_with_a_machine_the_command_works(run, line):
    done = run(f"{line} --machine laptop")
    assert done.exit_code == 0, done.output


def test_the_session_to_restore_names_its_machine(run, view, pair, tmp_path):
    _, laptop = pair
    session_id = start(laptop, tmp_path, "theirs")
    until(lambda: view[0].mirror.session(session_id))
    assert run(f"restore {session_id}").exit_code == 2
    assert run(f"restore {session_id} --machine laptop").exit_code == 1  # it was not lost


def test_machines_that_are_away_and_those_of_one_name_are_told_apart(machine, pair, hub):
    desk, laptop = pair
    other = machine("desk-2", name="desk")
    view, pages = hub()
    until(lambda: len(view.mirror.ids()) == 3)
    gone(desk, laptop)
    until(lambda: not view.online(laptop.fleet.machine.id))
    reply = pages.get("/api/panes").json
    ids = sorted(each.fleet.machine.id for each in (desk, other))
    assert reply["details"]["machines"] == [*ids, "laptop"]
    assert reply["error"].endswith(
        f"name a machine: desk ({ids[0]}), desk ({ids[1]}), laptop (away)"
    )


def test_a_hub_without_machines_says_how_one_comes(hub, fleet_key):
    view, pages = hub()
    until(lambda: view.problem is None)
    reply = pages.get("/api/panes")
    assert (reply.status_code, reply.json["code"]) == (422, "on_a_hub")
    assert "no machine is in the fleet; run `clawtap fleet join`" in reply.json["error"]
    for path, status in (("/", 200), ("/new", 422), ("/rules", 422), ("/adopt", 422)):
        shown = pages.get(path)
        assert (shown.status_code, "o machine is in the fleet" in shown.text) == (status, True)


def test_the_terminal_of_another_machine_is_not_attached_here(pair, run, tmp_path):
    """Its pane has the id of one that runs something else here."""
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "theirs")
    session_seen(desk, session_id)
    done = CliRunner(env={"HOME": str(tmp_path), "CLAWTAP_TOKEN": "x"}).invoke(
        cli, ["attach", session_id, "--url", "http://desk"], obj=lambda url, token, verify: desk.tap
    )
    assert done.exit_code == 1
    assert done.stderr == (
        "error: the session runs on laptop; open its terminal there (other_machine)\n"
    )
