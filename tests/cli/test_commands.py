"""The command itself: what it imports, what plugins add, how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from clawtap_core.cli import lazy_group, plugins, serve
from clawtap_core.cli.app import BUILT_IN, cli
from clawtap_core.cli.lazy_group import LazyGroup
from clawtap_core.errors import UsageError
from clawtap_core.hookspecs import hookimpl
from clawtap_core.host import Host


class Extra:
    """A plugin with a command, and one that would replace ours."""

    @hookimpl
    def register_commands(self, cli: click.Group) -> None:
        @cli.command()
        def hello() -> None:
            """Say hello."""
            click.echo("hello from a plugin")

        @cli.command("serve")
        def other_serve() -> None:
            click.echo("not ours")


@pytest.fixture
def with_plugin(monkeypatch: pytest.MonkeyPatch) -> LazyGroup:
    def host() -> Host:
        found = Host()
        found.add(Extra(), "extra")
        return found

    monkeypatch.setattr(plugins, "installed_host", host)
    monkeypatch.setattr(lazy_group, "plugins_with", lambda hook: [hook])
    return LazyGroup("clawtap", built_in=BUILT_IN)


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    heavy = ("flask", "gevent", "ssl", "requests", "webui", "clawtap_demo", "marshmallow")
    code = f"""
import sys, clawtap_core.cli, clawtap_core.cli.app
from clawtap_core.cli.app import cli
cli.get_command(None, "serve")
print([name for name in {heavy} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_settings_for_serve_are_read_before_anything_needs_patching() -> None:
    code = "import sys; from clawtap_core.cli import serve; serve.serving_settings(None, {}); "
    code += "print('ssl' in sys.modules, 'gevent' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_plugins_add_commands_but_replace_none(with_plugin: LazyGroup) -> None:
    run = CliRunner().invoke
    assert run(with_plugin, ["hello"]).output == "hello from a plugin\n"
    assert "Say hello." in run(with_plugin, ["--help"]).output
    assert "not ours" not in run(with_plugin, ["serve", "--help"]).output


def test_our_own_commands_load_no_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "installed_host", lambda: pytest.fail("plugins were loaded"))
    for name in BUILT_IN:
        assert CliRunner().invoke(cli, [name, "--help"]).exit_code == 0


def test_help_imports_no_command_no_adapter_and_no_words() -> None:
    code = """
import sys
from clawtap_core.cli.app import cli
try:
    cli(["--help"], prog_name="clawtap")
finally:
    seen = ("clawtap_core.cli.sessions", "clawtap_core.model", "clawtap_core.host", "clawtap_demo")
    print([name for name in seen if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Start the server and print its URL." in done.stdout
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("name", BUILT_IN)
def test_summaries_are_those_of_the_commands(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command
    summary = click.Command(name, help=BUILT_IN[name].summary)
    assert summary.get_short_help_str(300) == command.get_short_help_str(300)


def test_help_and_completion_show_the_commands_of_an_installed_plugin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = """
from clawtap_core import hookimpl

@hookimpl
def register_commands(cli):
    @cli.command()
    def hello():
        '''Say hello.'''
"""
    metadata = tmp_path / "greeter-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[clawtap]\ngreeter = greeter\n")
    (tmp_path / "greeter.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("clawtap", built_in=BUILT_IN)
    assert "Say hello." in CliRunner().invoke(group, ["--help"]).output
    items = group.shell_complete(click.Context(group), "he")
    assert [(item.value, item.help) for item in items] == [("hello", "Say hello.")]
    items = group.shell_complete(click.Context(group), "ser")
    assert [item.value for item in items] == ["serve", "service"]


def test_an_unknown_command_is_a_usage_error(with_plugin: LazyGroup) -> None:
    result = CliRunner().invoke(with_plugin, ["nope"])
    assert result.exit_code == 2
    assert "No such command 'nope'" in result.output


def test_plugins_are_listed_with_their_health(monkeypatch: pytest.MonkeyPatch) -> None:
    def host() -> Host:
        found = Host()
        found.add(Extra(), "extra")
        found.add(type("Bad", (), {"adapter_info": hookimpl(lambda self: 1 / 0)})(), "bad")
        return found

    monkeypatch.setattr(plugins, "installed_host", host)
    result = CliRunner().invoke(cli, ["plugins"])
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert lines[1] == "extra loaded register_commands"
    assert lines[2].startswith("bad broken adapter_info: ZeroDivisionError: division by zero (")
    reply = json.loads(CliRunner().invoke(cli, ["plugins", "--json"]).output)
    assert [plugin["status"] for plugin in reply] == ["loaded", "broken"]


def test_blocked_plugins_are_named_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWTAP_BLOCK_PLUGINS", "demo")
    listed = json.loads(CliRunner().invoke(cli, ["plugins", "--json"]).stdout)
    assert {plugin["name"]: plugin["status"] for plugin in listed}["demo"] == "blocked"
    monkeypatch.setenv("CLAWTAP_BLOCK_PLUGINS", "nonsense")
    result = CliRunner().invoke(cli, ["plugins"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no such plugin: nonsense")


def test_serve_runs_the_server_with_its_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(serve, "_run", lambda settings: seen.append(settings) or 0)
    result = CliRunner().invoke(
        cli,
        ["serve", "--port", "0", "--data-dir", str(tmp_path), "--allowed-host", "a.example"],
    )
    assert result.exit_code == 0
    (settings,) = seen
    assert (settings.port, settings.data_dir) == (0, tmp_path)
    assert settings.allowed_hosts == ("a.example",)
    assert not settings.insecure


def test_settings_that_make_no_sense_exit_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(settings: Any) -> int:
        raise UsageError("127.0.0.1:1 is in use", code="port_in_use")

    monkeypatch.setattr(serve, "_run", refuse)
    result = CliRunner().invoke(cli, ["serve"])
    assert (result.exit_code, result.stderr) == (
        2,
        "error: 127.0.0.1:1 is in use (port_in_use)\n",
    )
    assert CliRunner().invoke(cli, ["serve", "--host", "0.0.0.0"]).exit_code == 2


def test_the_demo_starts_on_the_running_server(run: Any, server: Any) -> None:
    result = run("demo")
    assert server.calls[0][1].adapter == "demo"
    assert result.output == "started the demo session s-new; open http://fake\n"


@pytest.mark.tmux
def test_the_demo_brings_its_own_server(tmux_socket: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    content = ["--data-dir", str(data)]
    argv = [sys.executable, "-m", "clawtap_core.cli", "demo", "--port", "0", *content]
    env = {**os.environ, "HOME": str(tmp_path), "CLAWTAP_TMUX_SOCKET": tmux_socket}
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(argv, stdout=out, stderr=out, env=env)
    try:
        wait_for_server(process, data)
        wait_for_prompt(content, env, log)
    finally:
        process.terminate()
        process.wait(60)
    assert log.read_text().startswith("ClawTap listens on http://127.0.0.1:")
    assert not (data / "server.json").exists()


def wait_for_server(process: subprocess.Popen[bytes], data: Path) -> None:
    while not (data / "server.json").exists():
        assert process.poll() is None
        time.sleep(0.05)


def wait_for_prompt(flags: list[str], env: dict[str, str], log: Path) -> None:
    """Ask as a user would, until the demo's first prompt waits."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        asked = [sys.executable, "-m", "clawtap_core.cli", "pending", "--json", *flags]
        done = subprocess.run(asked, capture_output=True, text=True, env=env, check=False)
        if done.returncode == 0 and (found := json.loads(done.stdout)):
            assert found[0]["title"] == "Run this command?"
            return
        assert done.returncode == 0 or "no_server" in done.stderr, done.stderr
        time.sleep(0.3)
    pytest.fail(f"the demo never asked: {log.read_text()}")


def test_no_summary_is_cut_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = CliRunner().invoke(cli, ["--help"]).output
    assert "..." not in listed.partition("Commands:")[2]
    assert all(built_in.summary in " ".join(listed.split()) for built_in in BUILT_IN.values())


@pytest.mark.process
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(closed: str, isolated_home: Path) -> None:
    shell = f"{sys.executable} -m clawtap_core.cli plugins --json {closed}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.process
@pytest.mark.parametrize("arguments", ["plugins", "--help", "serve --help"])
def test_a_full_disk_behind_the_output_is_one_sentence(arguments: str, isolated_home: Path) -> None:
    shell = f"{sys.executable} -m clawtap_core.cli {arguments} > /dev/full"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
    sentence = "error: the output could not be written: No space left on device (output_failed)\n"
    assert (done.returncode, done.stderr) == (1, sentence)
