"""new-adapter writes a package that passes its tests; check-adapter runs the contract on it."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from patience import until

from clawtap_core import Screen
from clawtap_core.cli.app import cli
from clawtap_core.testing.server_process import clean_environment


def new_adapter(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["new-adapter", *arguments])


def run_in(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module where the package is on the path."""
    env = {**os.environ, "PYTHONPATH": str(folder)}
    argv = [sys.executable, "-m", *command]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_the_package_passes_its_own_tests(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    result = new_adapter("open-thing", "--folder", str(folder))
    assert result.exit_code == 0
    assert f"{folder}/clawtap_open_thing.py\n" in result.output
    done = run_in(folder, "pytest", "-q", "-p", "no:cacheprovider", "-W", "error")
    assert "22 passed" in done.stdout, done.stdout


@pytest.mark.process
def test_its_tests_of_the_example_are_skipped_once_the_example_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    new_adapter("open-thing", "--folder", str(folder))
    for kind in ("ansi", "json"):
        (folder / "tests" / "recordings" / f"allow.{kind}").unlink()
    done = run_in(folder, "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-k", "cursor")
    assert "2 skipped" in done.stdout, done.stdout
    assert "allow.ansi is gone: test the keys on a recording of your CLI" in done.stdout


def test_every_mention_of_the_example_gets_the_name(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    new_adapter("open-thing", "--folder", str(folder))
    files = [path for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".md")]
    texts = "\n".join(path.read_text() for path in files)
    assert "mycli" not in texts.lower()
    assert 'open-thing = "clawtap_open_thing"' in texts
    assert 'name = "clawtap-open-thing"' in texts
    assert 'name="Open Thing"' in texts


def test_a_message_is_not_run_line_by_line(tmp_path: Path) -> None:
    new_adapter("mycli", "--folder", str(tmp_path / "adapter"))
    spec = importlib.util.spec_from_file_location("mycli", tmp_path / "adapter/clawtap_mycli.py")
    assert spec
    assert spec.loader
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    assert adapter.compose("rm x", Screen.from_text("> "), None)
    assert adapter.compose("rm x\nrm y", Screen.from_text("> "), None) is None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "adapter"
    folder.mkdir()
    (folder / "mine").write_text("precious")
    result = new_adapter("mycli", "--folder", str(folder))
    assert (result.exit_code, [*folder.iterdir()]) == (2, [folder / "mine"])
    assert "is not empty" in result.output


@pytest.mark.parametrize("name", ["My CLI", "../x", "-x", "a--b", "9", ""])
def test_a_name_must_be_an_id(name: str, tmp_path: Path) -> None:
    result = new_adapter("--folder", str(tmp_path / "x"), "--", name)
    assert result.exit_code == 2
    assert "begin with a letter" in result.stderr
    assert not (tmp_path / "x").exists()


def test_an_installed_adapter_keeps_its_name(tmp_path: Path) -> None:
    result = new_adapter("demo", "--folder", str(tmp_path / "x"))
    assert result.exit_code == 2
    assert "an adapter named demo is installed already" in result.output


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that was just written, installed as far as importlib.metadata can tell."""
    folder = tmp_path / "package"
    new_adapter("mycli", "--folder", str(folder))
    installed = folder / "clawtap_mycli-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: clawtap-mycli\nVersion: 0.1.0\n"
    )
    (installed / "entry_points.txt").write_text("[clawtap]\nmycli = clawtap_mycli\n")
    return folder


def check(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_in(package, "clawtap_core.cli", "check-adapter", "mycli", *arguments)


@pytest.mark.process
def test_a_new_package_keeps_the_contract(package: Path) -> None:
    done = check(package)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"recordings: {package}/tests/recordings"
    assert "ok       a screen that asks gives its truth" in lines
    assert "ok       what does not matter changes nothing  (4)" in lines
    assert lines[-1] == "mycli keeps the contract: 12 checks"


@pytest.mark.process
def test_a_truth_with_a_slip_of_the_pen_is_named(package: Path) -> None:
    truth = package / "tests" / "recordings" / "idle.json"
    truth.write_text(truth.read_text().replace(",", "", 1))
    done = check(package)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {truth} is not valid JSON: Expecting ',' delimiter")
    assert done.stderr.count("\n") == 1


@pytest.mark.process
def test_a_check_that_failed_is_said_with_its_recording(package: Path) -> None:
    module = package / "clawtap_mycli.py"
    module.write_text(module.read_text().replace("title=lines[top]", 'title="Really?"'))
    done = check(package, "--json")
    assert done.returncode == 1
    reply = json.loads(done.stdout)
    (failed,) = (check for check in reply["checks"] if check["failures"])
    assert (reply["ok"], failed["name"]) == (False, "a screen that asks gives its truth")
    (failure,) = failed["failures"]
    assert failure.startswith("allow: the title 'Run this command?' is not in what was read")
    lines = check(package).stdout.splitlines()
    assert "FAILED   a screen that asks gives its truth" in lines
    assert lines[-1] == "1 of 12 checks failed"


@pytest.mark.process
def test_an_adapter_without_recordings_is_checked_for_the_rest(package: Path) -> None:
    (package / "tests" / "recordings").rename(package / "elsewhere")
    done = check(package)
    assert done.stdout.splitlines()[0] == "recordings: none found; name a folder with --recordings"
    assert done.returncode == 0
    assert "skipped  a screen that asks gives its truth\n" in done.stdout


@pytest.mark.process
def test_recordings_elsewhere_without_a_truth_are_named(package: Path) -> None:
    recordings = (package / "tests" / "recordings").rename(package / "elsewhere")
    sidecar = recordings / "allow.json"
    facts = json.loads(sidecar.read_text())
    sidecar.write_text(json.dumps({key: facts[key] for key in ("cols", "rows")}))
    lines = check(package, "--recordings", "elsewhere").stdout.splitlines()
    assert lines[0] == "recordings: elsewhere"
    assert lines[-2].startswith("1 of 4 recordings have no truth yet (allow): clawtap record")


@pytest.mark.process
def test_a_plugin_that_does_not_load_says_why(package: Path) -> None:
    (package / "clawtap_mycli.py").write_text("import nothing_of_the_kind\n")
    done = check(package)
    assert done.returncode == 1
    assert "the plugin mycli is broken: ModuleNotFoundError" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.process
def test_a_hook_that_raises_is_told_with_its_place_and_its_recording(package: Path) -> None:
    module = package / "clawtap_mycli.py"
    source = module.read_text().replace("title=lines[top]", "title=lines[top].nothing")
    module.write_text(source)
    line = source[: source.index(".nothing")].count("\n") + 1
    files = [f"tests/recordings/{name}.ansi" for name in ("idle", "allow", "busy")]
    done = run_in(package, "clawtap_core.cli", "detect", "--adapter", "mycli", *files)
    assert done.returncode == 1
    assert [json.loads(each)["file"] for each in done.stdout.splitlines()] == files[:1]
    assert f"the adapter mycli failed on {files[1]}: detect_state: AttributeError" in done.stderr
    assert f"(clawtap_mycli.py, line {line})" in done.stderr


def test_a_missing_live_check_is_said_before_the_contract_is_run() -> None:
    result = CliRunner().invoke(cli, ["check-adapter", "generic", "--live"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "generic has no live check; its author can add the hook live_check" in result.stderr


@pytest.mark.process
def test_an_error_of_the_adapter_is_said_with_its_place(package: Path) -> None:
    module = package / "clawtap_mycli.py"
    module.write_text(module.read_text().replace("title=lines[top]", "title=lines[1 // 0]"))
    checks = json.loads(check(package, "--json").stdout)["checks"]
    failures = {failure for each in checks for failure in each["failures"]}
    line = module.read_text().split("\n").index("        title=lines[1 // 0],") + 1
    place = f"(clawtap_mycli.py, line {line})"
    assert f"allow: ZeroDivisionError: integer division or modulo by zero {place}" in failures


def test_an_adapter_that_is_not_installed_is_named() -> None:
    result = CliRunner().invoke(cli, ["check-adapter", "nope"])
    assert (result.exit_code, "no such adapter: 'nope'" in result.output) == (1, True)


@pytest.mark.process
@pytest.mark.parametrize("command", ["detect", "steps"])
def test_the_docs_show_what_the_commands_print_for_the_example(package: Path, command: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
    block = re.search(rf"^\$ clawtap ({command} .*)\n((?:(?!\$|```).*\n)+)", page, re.MULTILINE)
    assert block
    done = run_in(package, "clawtap_core.cli", *block[1].split())
    assert done.stdout == block[2]


@pytest.mark.tmux
def test_a_new_adapter_answers_its_example_in_tmux(
    package: Path, tmux_socket: str, clawtap_served: Any, tmp_path: Path
) -> None:
    env = {**clean_environment(tmp_path / "home"), "PYTHONPATH": str(package)}
    example = f"{sys.executable} {Path(__file__).parents[1] / 'lab' / 'mycli.py'}"
    tmux = ["tmux", "-L", tmux_socket, "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", "80", "-y", "24", example], check=True)
    client = clawtap_served(env=env).client
    adopted = client.post("/api/sessions", {"adopt": "%0", "adapter": "mycli"}).body["id"]
    until(lambda: client.get(f"/api/sessions/{adopted}").body["state"] == "idle")
    for command, decision in (("make test", "deny"), ("make all", "approve")):
        client.post(f"/api/sessions/{adopted}/message", {"message": f"run {command}"})
        (asked,) = until(lambda: client.get("/api/pending").body)
        assert (asked["title"], asked["description"]) == ("Run this command?", command)
        answer = {"requestId": asked["requestId"]}
        reply = client.post(f"/api/sessions/{adopted}/{decision}", answer)
        assert reply.status == 200, reply.body
    shown = [*tmux, "capture-pane", "-p", "-t", "%0"]
    until(lambda: "Ran make all" in subprocess.check_output(shown, text=True))
    assert "Ran make test" not in subprocess.check_output(shown, text=True)
