"""The recipes of docs/scripts.md run as they stand there, with the demo agent."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from forked_server import ForkedServed

import clawtap_core
from clawtap_core.testing import Served
from clawtap_core.testing.server_process import TOKEN

pytestmark = [pytest.mark.process, pytest.mark.tmux, pytest.mark.timeout(150)]
PAGE = (Path(clawtap_core.__file__).parents[1] / "docs" / "scripts.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(make|yaml)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
MAKEFILE = next(text for kind, text in BLOCKS if kind == "make")
WORKFLOWS = {flow["name"]: flow for flow in (yaml.safe_load(t) for k, t in BLOCKS if k == "yaml")}
CLAWTAP = Path(sys.executable).with_name("clawtap")
# The demo tells of all it can ask, unless it only chats.
WRAPPER = f"""#!/bin/sh
[ "$1" = run ] && exec {CLAWTAP} "$@" -- --chat --delay 0
exec {CLAWTAP} "$@"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a change, a deploy script, and programs of its own."""
    folder, programs = tmp_path / "project", tmp_path / "programs"
    for each in (folder, programs):
        each.mkdir()
    for name, text in (("clawtap", WRAPPER), ("pip", "#!/bin/sh\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (folder / "deploy.sh").write_text("#!/bin/sh\ntouch deployed\n")
    (folder / "deploy.sh").chmod(0o755)
    (folder / "Makefile").write_text(MAKEFILE)
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *command], cwd=folder, check=True)
    upstream = ("git", "update-ref", "refs/remotes/origin/main", "HEAD")
    subprocess.run(upstream, cwd=folder, check=True)
    (folder / "deploy.sh").write_text("#!/bin/sh\ntouch deployed # changed\n")
    return folder


@pytest.fixture
def served(nursery: Any, tmp_path: Path, tmux_socket: str) -> Iterator[Served]:
    served = ForkedServed(nursery, tmp_path, tmux_socket=tmux_socket).start()
    yield served
    served.stop()


@pytest.fixture
def env(served: Served, project: Path, tmp_path: Path) -> dict[str, str]:
    """What a shell of the recipes has."""
    return {
        "PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}",
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "CLAWTAP_URL": served.url,
        "CLAWTAP_TOKEN": TOKEN,
        "GITHUB_SHA": "c0ffee",
        "GITHUB_REPOSITORY": "me/shop",
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }


def shell(command: str, folder: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command as a runner does."""
    argv = ("bash", "-e", "-c", command)
    return subprocess.run(
        argv, cwd=folder, env=dict(env), capture_output=True, text=True, timeout=100, check=False
    )


def run_workflow(
    name: str, folder: Path, env: Mapping[str, str], change: Callable[[str], str] = str
) -> tuple[int, str]:
    """Run the steps of a workflow's only job; the status and output of the last one that ran."""
    (job,) = WORKFLOWS[name]["jobs"].values()
    secrets = {f"${{{{ secrets.{key} }}}}": value for key, value in env.items()}
    own = {key: secrets.get(value, value) for key, value in job["env"].items()}
    own |= {"AGENT": "demo"} if "AGENT" in own else {}
    status, output = 1, ""
    for step in job["steps"]:
        if "run" not in step:
            continue
        done = shell(change(step["run"]), folder, {**env, **own})
        status, output = done.returncode, done.stdout + done.stderr
        if status:
            break
    return status, output


def answer(served: Served, route: str) -> threading.Thread:
    """Answer the next prompt, as a person would."""

    def person() -> None:
        events = served.client.events()
        kinds = ("approval_required", "snapshot")
        prompt = _open(events.wait(*kinds, where=_open, seconds=100).data)
        body = {"requestId": prompt["requestId"]}
        served.client.post(f"/api/sessions/{prompt['sessionId']}/{route}", body)
        events.close()

    thread = threading.Thread(target=person)
    thread.start()
    return thread


def _open(data: Any) -> Any:
    return next(iter(data["prompts"]), None) if "prompts" in data else data


@pytest.mark.parametrize(("route", "deployed"), [("approve", True), ("deny", False)])
def test_a_deploy_waits_for_a_person(
    served: Served, project: Path, env: dict[str, str], route: str, deployed: bool
) -> None:
    person = answer(served, route)
    status, output = run_workflow("Deploy", project, env)
    person.join(100)
    assert (status == 0) is deployed, output
    assert (project / "deployed").exists() is deployed


def test_a_deploy_that_nobody_answers_does_not_happen(project: Path, env: dict[str, str]) -> None:
    status, output = run_workflow(
        "Deploy", project, env, lambda step: step.replace("--after 30m", "--after 0.2s")
    )
    assert status == 1
    assert "this is the default answer\nThe default refused." in output
    assert not (project / "deployed").exists()


def test_an_agent_reviews_a_pull_request(project: Path, env: dict[str, str]) -> None:
    status, output = run_workflow("Review", project, env)
    assert status == 0, output
    review = (project / "review.md").read_text()
    assert review.strip()
    assert Path(env["GITHUB_STEP_SUMMARY"]).read_text() == review


def test_make_asks_before_it_deploys(served: Served, project: Path, env: dict[str, str]) -> None:
    person = answer(served, "approve")
    done = shell("make deploy", project, env)
    person.join(100)
    assert done.returncode == 0, done.stderr
    assert (project / "deployed").exists()


@pytest.mark.parametrize("target", ["review", "fix"])
def test_make_runs_an_agent(project: Path, env: dict[str, str], target: str) -> None:
    done = shell(f"make {target} AGENT=demo", project, env)
    assert done.returncode == 0, done.stderr
    if target == "review":
        assert (project / "review.md").read_text().strip()
