"""The commands that the docs show do what they say, on a real server and the demo agent."""

from __future__ import annotations

import itertools
import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from documented_commands import CHECKOUT, DocumentedCommand, documented_commands
from patience import until

from clawtap_core.cli.app import cli
from clawtap_core.testing import Served
from clawtap_core.testing.leaks import end_server
from clawtap_core.testing.server_process import TOKEN

SOCKET = f"clawtap-docs-{os.getpid()}"
pytestmark = [pytest.mark.process, pytest.mark.tmux]

# Commands whose examples need what a test of this kind has not, and the tests that run them.
ELSEWHERE = {
    "serve": "tests/server/test_serving.py",
    "hub": "tests/fleet/test_hub.py",
    "demo": "tests/server/test_serving.py",
    "service": "tests/cli/test_service.py",
    "fleet": "tests/fleet/test_commands.py",
    "install": "tests/cli/test_install.py",
    "attach": "tests/cli/test_sessions.py",
    "adopt": "plugins/clawtap-generic/tests/test_in_tmux.py",
    "limit": "tests/transport/test_limits.py",
    "restore": "tests/rules/test_restoring.py",
    "mcp": "tests/rules/test_scripts.py",
    "watch": "tests/cli/test_watching.py",
    "check-adapter": "tests/cli/test_new_adapter.py",
    "doctor --live": "tests/cli/test_live_check.py",
    "hooks install": "tests/cli/test_hooks.py",
    "new-adapter": "tests/cli/test_new_adapter.py",
    "run": "tests/server/test_recipes.py",
    "wait --text": "tests/cli/test_wait.py",
    "history ID": "tests/cli/test_history.py",
    "answer 1=Tests": "tests/cli/test_answers.py",
    "answer --note": "tests/cli/test_answers.py",
    "--adapter mycli": "tests/cli/test_new_adapter.py",
    "--channel protocol": "tests/conformance/protocol",
}

PERMISSION = [[{"run": "touch made.txt", "output": ""}]]
# What the agent does where a command is tried; without an entry it waits for a message.
STORIES = {
    "pending": PERMISSION,
    "approve": PERMISSION,
    "deny": PERMISSION,
    "respond": [[{"plan": "1. Work"}]],
    "answer": [[{"ask": [{"question": "Which?", "options": ["SQLite", "Postgres"]}]}]],
    "interrupt": [[{"busy": 60}]],
    "rules explain": PERMISSION,
    "wait --until": PERMISSION,
    "queue --take-back": PERMISSION,
}


def test_what_runs_elsewhere_is_there() -> None:
    assert [path for path in ELSEWHERE.values() if not (CHECKOUT / path).exists()] == []


def elsewhere(words: tuple[str, ...]) -> bool:
    """Return True if another test runs what these words say."""
    line = " ".join(words)
    pairs = {f"{words[0]} {word}" for word in words[1:]} | {
        " ".join(pair) for pair in itertools.pairwise(words)
    }
    by_id = words[0] == "history" and len(words) > 1 and not line.startswith("history --")
    return words[0] in ELSEWHERE or not pairs.isdisjoint(ELSEWHERE) or by_id


RUN_HERE = {
    documented.words: documented
    for documented in documented_commands()
    if not documented.mentioned and not elsewhere(documented.words)
}
# Commands that are about no session.
WITHOUT_SESSION = ("ask", "completion", "detect", "devices", "doctor", "hooks", "new", "plugins")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"), tmux_socket=SOCKET).start()
    yield served
    served.stop()
    end_server(SOCKET)


@pytest.fixture
def run(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command as in a shell with a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAWTAP_URL", served.url)
    monkeypatch.setenv("CLAWTAP_TOKEN", TOKEN)
    monkeypatch.setenv("CLAWTAP_DATA_DIR", str(served.data))

    def run(*words: str, given: str = "") -> Result:
        return CliRunner().invoke(cli, words, input=given, prog_name="clawtap")

    return run


@pytest.fixture
def session(run: Callable[..., Result], tmp_path: Path, request: Any) -> Iterator[dict[str, Any]]:
    """A session of the demo that does what the command is about, and is over afterwards."""
    words = request.getfixturevalue("documented").words
    try:
        yield {} if words[0] in WITHOUT_SESSION else begin(words, run, tmp_path)
    finally:
        for one in json.loads(run("ls", "--json").stdout):
            run("end", one["id"])


def begin(words: tuple[str, ...], run: Callable[..., Result], tmp_path: Path) -> dict[str, Any]:
    """Start the demo, and wait until it does what the command is about."""
    stories = [key for key in STORIES if fits(key, words)]
    arguments = ["--chat", "--delay", "0"]
    if stories:
        (tmp_path / "story.json").write_text(json.dumps(STORIES[max(stories, key=len)]))
        arguments = ["--script", str(tmp_path / "story.json"), "--delay", "0"]
    made: dict[str, Any] = json.loads(run("new", "demo", "--json", "--", *arguments).stdout)
    state = {"interrupt": "busy"}.get(words[0], "waiting" if stories else "idle")

    def settled() -> bool:
        # A prompt is announced a moment after its session began to wait.
        if state == "waiting":
            return bool(json.loads(run("pending", made["id"], "--json").stdout))
        listed = json.loads(run("ls", "--json").stdout)
        return any(one["id"] == made["id"] and one["state"] == state for one in listed)

    until(settled, what=lambda: f"{' '.join(words)}: {run('ls').output}")
    return made


def fits(key: str, words: tuple[str, ...]) -> bool:
    """Return True if words begin like this, or have all of these."""
    wanted = tuple(key.split())
    return words[: len(wanted)] == wanted or (words[0] == wanted[0] and set(wanted) <= set(words))


@pytest.mark.parametrize("documented", RUN_HERE.values(), ids=str)
def test_it_runs(
    documented: DocumentedCommand,
    run: Callable[..., Result],
    session: dict[str, Any],
    served: Served,
    tmp_path: Path,
) -> None:
    prepare(documented.words, run, session, tmp_path)
    if documented.words[0] == "ask":
        person = threading.Thread(target=answer_as_a_person, args=(served,))
        person.start()
    words = [at for word in documented.words for at in here(word, run, session, tmp_path)]
    if words[0] == "record" and session:
        words += ["--socket", SOCKET]
    done = run(*words, given="some text\n")
    if documented.words[0] == "ask":
        person.join(60)
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output


def prepare(
    words: tuple[str, ...], run: Callable[..., Result], session: dict[str, Any], tmp_path: Path
) -> None:
    """Make what the command needs beside a session."""
    (tmp_path / "project").mkdir()
    (tmp_path / "proj").mkdir()
    rules = re.search(r"```toml\n(.*?)```", (CHECKOUT / "docs" / "rules.md").read_text(), re.DOTALL)
    assert rules
    (tmp_path / "new.toml").write_text(rules[1])
    if words[0] in ("detect", "steps") or "--accept" in words:
        recorded = CHECKOUT / "plugins" / "clawtap-demo" / "tests" / "recordings"
        screen = next(recorded.rglob("*permission*.ansi"))
        for path in ("ask", "tests/recordings/allow-command"):
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            for suffix in (".ansi", ".json"):
                target.with_suffix(suffix).write_bytes(screen.with_suffix(suffix).read_bytes())
    if words[0] == "devices":
        listed = json.loads(run("devices", "--json").stdout)
        for one in (*listed["devices"], *listed["invitations"]):
            run("devices", "revoke", one["id"])
        if words[1:2] == ("revoke",):
            assert run("devices", "add", words[2]).exit_code == 0
    if words[0] == "queue":
        assert run("send", session["id"], "later").exit_code == 0
    if words[0] == "rules":
        for name in ("tests-in-shop", "never-push"):
            run("rules", "remove", name)
    if words[:2] == ("rules", "remove"):
        assert run("rules", "add", "new.toml").exit_code == 0


def here(word: str, run: Callable[..., Result], session: dict[str, Any], folder: Path) -> list[str]:
    """Return a word of the docs as a shell here would give it."""
    if re.fullmatch(r"71c7\w*|48ad\w*", word):
        return [str(session["id"])]
    if word in ("49a2", "5f0c", "ID"):
        return [str(json.loads(run("pending", "--json").stdout)[0]["requestId"])]
    if word == "4be1b29ff3a8":
        return [str(json.loads(run("queue", session["id"], "--json").stdout)[0]["id"])]
    if "*" in word:
        return [str(path) for path in folder.glob(word)]
    known = {
        "gemini": "demo",
        "claude": "demo",
        "codex": "demo",
        "opencode": "demo",
        "qwen": "demo",
        "copilot": "demo",
        "kimi": "demo",
        "gemini-2.5-pro": "sage",
    }
    known["%12"] = str(session.get("pane"))
    return [str(folder / word[2:]) if word.startswith("~/") else known.get(word, word)]


def answer_as_a_person(served: Served) -> None:
    """Answer the question of a program."""
    found = until(lambda: served.client.get("/api/pending").body)
    prompt = found[0]
    body: dict[str, Any] = {"requestId": prompt["requestId"]}
    route = "approve"
    if questions := prompt.get("questions"):
        options = questions[0].get("options")
        body["answers"] = {"0": options[0]["label"] if options else "123456"}
        route = "submit-answers"
    served.client.post(f"/api/sessions/{prompt['sessionId']}/{route}", body)
