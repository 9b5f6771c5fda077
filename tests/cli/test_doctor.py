"""clawtap doctor: every finding has a level and, unless it is fine, a remedy."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.cli import doctor
from clawtap_core.fleet import key_file
from clawtap_core.host import Host
from clawtap_core.model import PluginStatus
from clawtap_core.server import push_key
from clawtap_core.system import tailscale

Program = Callable[[str, str], None]
CLIS = Path(__file__).parents[2] / "docs" / "clis.md"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Put programs that print a text on a PATH where no other is."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def add(name: str, text: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{text}\nEND\n")
        path.chmod(0o755)

    add("tmux", "tmux 3.4")
    return add


@pytest.fixture
def diagnose(
    run: Any, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, dict[str, list[dict[str, str]]]]]:
    """Run the doctor; the exit status, and the findings by check."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAWTAP_PORT", "0")

    def doctor_says(*flags: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
        folder = () if "--data-dir" in flags else ("--data-dir", str(tmp_path / "data"))
        done = run("doctor", "--json", *folder, *flags)
        findings: dict[str, list[dict[str, str]]] = {}
        wire = json.loads(done.stdout)
        assert wire["ok"] is (done.exit_code == 0)
        for finding in wire["findings"]:
            assert (finding["level"] == "ok") is (finding["remedy"] == ""), finding
            findings.setdefault(finding["check"], []).append(finding)
        return done.exit_code, findings

    return doctor_says


def test_a_machine_without_clis_works_and_the_doctor_says_so(diagnose, tmp_path):
    status, findings = diagnose()
    assert status == 0
    assert findings["tmux"][0]["text"] == "tmux 3.4"
    assert findings["CLIs"][0]["level"] == "warning"
    assert "Demo" not in findings["CLIs"][0]["text"]
    assert "Another CLI" not in findings["CLIs"][0]["text"]
    assert findings["server"][0]["remedy"] == "`clawtap serve`"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["tmux 3.1c", None])
def test_tmux_that_is_missing_or_old_is_a_problem(diagnose, program, tmp_path, text):
    (tmp_path / "bin" / "tmux").unlink()
    if text:
        program("tmux", text)
    status, findings = diagnose()
    assert (status, findings["tmux"][0]["level"]) == (1, "problem")


def test_a_tmux_that_does_not_start_is_not_called_missing(diagnose, tmp_path):
    (tmp_path / "bin" / "tmux").write_text("#!/bin/sh\necho 'tmux: no libevent' >&2\nexit 127\n")
    status, findings = diagnose()
    assert (status, findings["tmux"][0]["level"]) == (1, "problem")
    assert findings["tmux"][0]["text"] == "`tmux -V` does not work (tmux: no libevent)"


@pytest.mark.parametrize(
    ("version", "level", "word"),
    [
        ("2.1.332", "ok", "proved on 2.1.85, 2.1.332"),
        ("2.1.200", "ok", "proved on"),
        ("2.2.0", "warning", "newer"),
        ("1.9.9", "warning", "older"),
    ],
)
def test_a_cli_is_listed_with_the_versions_it_was_tested_with(
    diagnose, program, version, level, word
):
    program("claude", f"{version} (Claude Code)")
    status, findings = diagnose()
    assert (status, findings["claude"][0]["level"]) == (0, level)
    assert word in findings["claude"][0]["text"]
    assert "CLIs" not in findings


def test_hooks_that_are_missing_lost_or_installed(run, diagnose, program, tmp_path):
    program("claude", "2.1.332 (Claude Code)")
    install = "`clawtap hooks install --adapter claude`"
    assert diagnose()[1]["hooks"][0]["remedy"] == install
    done = run("hooks", "install", "--adapter", "claude", "--data-dir", str(tmp_path / "data"))
    assert done.exit_code == 0, done.output
    assert diagnose()[1]["hooks"][0]["level"] == "ok"
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    assert "lost some" in diagnose()[1]["hooks"][0]["text"]


def test_a_data_folder_that_serve_would_refuse_is_a_problem(diagnose, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "holiday.jpg").touch()
    status, findings = diagnose("--data-dir", str(shared))
    assert (status, findings["data folder"][0]["level"]) == (1, "problem")
    assert shared.stat().st_mode & 0o777 == 0o755
    file = tmp_path / "file"
    file.touch()
    assert diagnose("--data-dir", str(file))[1]["data folder"][0]["level"] == "problem"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_file_system_that_holds_no_files_is_a_problem(diagnose):
    finding = diagnose("--data-dir", "/proc/clawtap")[1]["data folder"][0]
    assert (finding["level"], finding["text"]) == ("problem", "/proc/clawtap cannot be written")


def test_a_disk_that_is_almost_full_is_a_warning(diagnose, monkeypatch):
    monkeypatch.setattr(doctor, "_LEAST_SPACE", 1 << 62)
    assert "MB left" in diagnose()[1]["data folder"][0]["text"]


def test_a_port_in_use_is_a_problem_unless_it_is_ours(diagnose, tmp_path, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setenv("CLAWTAP_PORT", str(other.getsockname()[1]))
        status, findings = diagnose()
        assert (status, findings["server"][0]["level"]) == (1, "problem")
        assert "--port" not in findings["server"][0]["text"]
        assert "--port" in findings["server"][0]["remedy"]
        (tmp_path / "data").mkdir(mode=0o700)
        announced = json.dumps({"url": "http://127.0.0.1:1", "pid": os.getpid()})
        (tmp_path / "data" / "server.json").write_text(announced)
        status, findings = diagnose()
        assert (status, findings["server"][0]["level"]) == (0, "ok")


def test_a_setting_that_cannot_be_is_a_problem(diagnose, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text("port = 'high'\n")
    status, findings = diagnose("--config", str(config))
    assert (status, str(config) in findings["settings"][0]["text"]) == (1, True)


@pytest.mark.parametrize("text", [None, "port ="])
def test_a_configuration_file_that_cannot_be_read_is_a_problem(diagnose, tmp_path, text):
    config = tmp_path / "config.toml"
    if text:
        config.write_text(text)
    status, findings = diagnose("--config", str(config))
    assert (status, str(config) in findings["settings"][0]["text"]) == (1, True)
    assert "setting" not in findings["settings"][0]["remedy"]


def test_the_doctor_says_how_a_phone_reaches_this_machine(diagnose, program, monkeypatch):
    monkeypatch.setattr(tailscale, "_PROGRAMS", ("tailscale",))
    found = diagnose()[1]["phone"][0]
    assert "not installed" in found["text"]
    assert "clawtap serve --lan" in found["remedy"]
    program("tailscale", "stopped")
    assert "not running" in diagnose()[1]["phone"][0]["text"]
    status = {"BackendState": "Running", "Self": {"DNSName": "desk.tail1.ts.net."}}
    program("tailscale", json.dumps(status))
    assert "tailscale serve --bg" in diagnose()[1]["phone"][0]["remedy"]
    monkeypatch.setenv("CLAWTAP_ALLOWED_HOST", "desk.tail1.ts.net")
    assert diagnose()[1]["phone"][0]["text"].endswith("https://desk.tail1.ts.net")
    monkeypatch.delenv("CLAWTAP_ALLOWED_HOST")
    monkeypatch.setenv("CLAWTAP_LAN", "true")
    assert diagnose()[1]["phone"][0]["level"] == "ok"


def test_a_phone_is_sent_to_the_port_of_the_server_that_runs(
    diagnose, program, monkeypatch, tmp_path
):
    monkeypatch.setattr(tailscale, "_PROGRAMS", ("tailscale",))
    status = {"BackendState": "Running", "Self": {"DNSName": "desk.tail1.ts.net."}}
    program("tailscale", json.dumps(status))
    (tmp_path / "data").mkdir(mode=0o700)
    announced = {"url": "http://127.0.0.1:4567", "pid": os.getpid()}
    (tmp_path / "data" / "server.json").write_text(json.dumps(announced))
    assert "tailscale serve --bg 4567" in diagnose()[1]["phone"][0]["remedy"]


def test_a_plugin_that_is_broken_is_a_problem(monkeypatch):
    host = Host.installed(only=())
    broken = PluginStatus("mine", "broken", "clawtap-mine", "1.0", "ImportError: no module\nx")
    monkeypatch.setattr(host, "statuses", lambda: [broken, PluginStatus("demo", "loaded")])
    (finding,) = doctor.check_plugins(host)
    assert finding.level == "problem"
    assert finding.text == "mine is broken: ImportError: no module x"
    assert finding.remedy == "`clawtap install --upgrade clawtap-mine`"


def test_push_needs_its_package(monkeypatch, tmp_path):
    assert doctor.check_push(tmp_path).level == "ok"
    monkeypatch.setattr(push_key, "find_spec", lambda name: None)
    assert "clawtap[push]" in doctor.check_push(tmp_path).remedy


def test_a_key_of_push_that_cannot_be_read_is_a_warning(diagnose, tmp_path):
    (tmp_path / "data").mkdir(mode=0o700)
    key = tmp_path / "data" / "vapid.pem"
    push_key.make_push_key(key)
    assert diagnose()[1]["push"][0]["level"] == "ok"
    key.write_text("no key")
    status, findings = diagnose()
    assert (status, findings["push"][0]["level"]) == (0, "warning")
    assert str(key) in findings["push"][0]["text"]
    assert "remove that file" in findings["push"][0]["remedy"]


def test_a_machine_in_no_fleet_has_no_finding_about_redis(diagnose):
    assert "redis" not in diagnose()[1]


def test_a_fleet_without_a_key_is_a_problem(diagnose, monkeypatch):
    monkeypatch.setenv("CLAWTAP_REDIS_URL", "redis://127.0.0.1:1")
    status, findings = diagnose()
    assert (status, findings["redis"][0]["level"]) == (1, "problem")
    assert "clawtap fleet create" in findings["redis"][0]["remedy"]


def test_a_redis_that_does_not_answer_is_a_warning(diagnose, tmp_path):
    url = "redis://127.0.0.1:1"
    (tmp_path / "data").mkdir(mode=0o700)
    key_file.write_key(tmp_path / "data" / "fleet.key", key_file.FleetKey.new(url))
    status, findings = diagnose()
    assert (status, findings["redis"][0]["level"]) == (0, "warning")
    assert f"no Redis answers at {url}" in findings["redis"][0]["text"]


def test_a_person_reads_a_line_for_each_finding_and_its_remedy(run, program, tmp_path):
    done = run("doctor", "--data-dir", str(tmp_path / "data"))
    assert "tmux         tmux 3.4\n" in done.output
    assert "-> `clawtap serve`\n" in done.output


def test_the_docs_name_the_versions_that_adapters_were_proved_on():
    rows = CLIS.read_text(encoding="utf-8").splitlines()
    of_a_cli = [a for a in Host.installed().adapters if a.id not in ("demo", "generic")]
    proved = {adapter.id: adapter.info.proved_versions for adapter in of_a_cli}
    for adapter, versions in proved.items():
        row = next(row for row in rows if f"`clawtap-{adapter}`" in row)
        assert versions
        assert all(version in row for version in versions)
