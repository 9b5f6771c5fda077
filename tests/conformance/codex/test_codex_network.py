"""Access to the network: Codex asks for a host where an administrator's list does not have it.

That list is a file below /etc, so each CLI gets an /etc of its own, in a mount namespace.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest
from clawtap_codex.live import turns
from clilab.install import install, versions

REQUIREMENTS = """
[experimental_network]
enabled = true
[experimental_network.domains]
"allowed.example" = "allow"
"""
OWN_ETC = """#!/bin/sh
exec unshare -m sh -c 'mount --bind "{etc}" /etc && exec "{codex}" "$@"' codex "$@"
"""


@pytest.fixture(scope="module", params=versions("0.169.0"))
def testbed(request, tmp_path_factory):
    """A CLI whose commands may use the network, if the user allows the host."""
    from codex_testbed import CodexTestbed

    mounts = ("unshare", "-m", "mount", "--bind", "/etc", "/etc")
    if not shutil.which("unshare") or subprocess.run(mounts).returncode:
        pytest.skip("may not mount anything")

    class NetworkTestbed(CodexTestbed):
        def settle(self, **settings):
            super().settle(**settings)
            config = self.home / ".codex" / "config.toml"
            text = config.read_text().replace('"read-only"', '"workspace-write"')
            config.write_text(f"{text}[sandbox_workspace_write]\nnetwork_access = true\n")

    testbed = NetworkTestbed(request.param, tmp_path_factory.mktemp("network"))
    etc = testbed.folder / "etc"
    shutil.copytree("/etc", etc, symlinks=True, ignore_dangling_symlinks=True)
    (etc / "codex").mkdir()
    (etc / "codex" / "requirements.toml").write_text(REQUIREMENTS)
    command = testbed.home / "bin" / "codex"
    command.parent.mkdir(parents=True)
    codex = install("codex", testbed.version) / "codex"
    command.write_text(OWN_ETC.format(etc=etc, codex=codex))
    command.chmod(0o755)
    yield testbed
    testbed.close()


# No machine has this name, so that the CLI fails to reach it once it is allowed.
HOST = "nowhere.example"
FETCH = turns.turn(
    turns.call("exec_command", cmd=f"curl -sS --max-time 20 http://{HOST}/", yield_time_ms=20000)
)


def asks_for_a_host(talk):
    """The prompt about a host."""
    prompt = talk.do(FETCH)
    assert prompt["type"] == "permission"
    assert prompt["title"] == f'Do you want to approve network access to "{HOST}"?'
    assert prompt["toolInput"] == {"host": HOST}
    return prompt


def test_a_host_is_allowed_once_and_asked_for_again(talk):
    for _ in range(2):
        assert talk.approve(asks_for_a_host(talk)).status == 200
        assert HOST in str(talk.outputs())
        talk.finish()


def test_a_host_is_refused(talk):
    assert talk.deny(asks_for_a_host(talk)).body["state"] == "denied"
    talk.idle()
    assert not talk.log.function_responses()


def test_a_host_that_is_always_allowed_is_not_asked_for_again(own):
    talk = own()
    talk.idle(60)
    prompt = asks_for_a_host(talk)
    always = "yes-and-allow-this-host-for-this-conversation"
    assert talk.approve(prompt, option=always).status == 200
    talk.finish()
    talk.play(FETCH)
    talk.say()
    assert HOST in str(talk.outputs())
    talk.finish()
    assert talk.pending() == []


def test_a_host_is_no_command_without_a_terminal_either(testbed):
    talk = testbed.start(channel="protocol", args=[])
    talk.idle(60)
    prompt = talk.do(FETCH)
    assert HOST in prompt["title"]
    assert "toolName" not in prompt
    assert prompt["toolInput"] == {"host": HOST, "protocol": "http"}
    assert talk.approve(prompt).status == 200
    assert HOST in str(talk.outputs())
    talk.finish()
    talk.leave()
