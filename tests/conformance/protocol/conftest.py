"""The suite over machine protocols: each version of a CLI, without a pane."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest
from clilab.install import versions

CODEX = versions("0.169.0", "0.116.0")
GEMINI = versions("0.61.0", "0.34.0")
OVER_ACP = versions("qwen-0.24.4", "qwen-0.15.10", "copilot-1.0.102", "kimi-2.1.0", "kimi-0.30.0")


@pytest.fixture(scope="session", params=CODEX)
def codex(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of Codex and a ClawTap server, with the scripted model."""
    from codex_testbed import CodexTestbed

    folder = tmp_path_factory.mktemp(f"spoken-codex-{request.param}")
    testbed = CodexTestbed(request.param, folder)
    yield testbed
    testbed.close()


@pytest.fixture(scope="session", params=GEMINI)
def gemini(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the Gemini CLI and a ClawTap server, with the scripted model."""
    from cli_testbed import CliTestbed

    testbed = CliTestbed(request.param, tmp_path_factory.mktemp(f"spoken-gemini-{request.param}"))
    yield testbed
    testbed.close()


@pytest.fixture(scope="session", params=OVER_ACP)
def acp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of a CLI that speaks ACP and a ClawTap server, with the scripted model."""
    cli, version = request.param.split("-")
    testbeds = import_module(f"{cli}_testbed")
    testbed = getattr(testbeds, f"{cli.title()}Testbed")(
        version, tmp_path_factory.mktemp(f"acp-{cli}-{version}")
    )
    yield testbed
    testbed.close()


@pytest.fixture
def speak():
    """Starts sessions over the protocol, and ends them."""
    from protocol_testbed import speak

    started = []

    def start(testbed, adapter, **request):
        started.append(speak(testbed, adapter, **request))
        return started[-1]

    yield start
    for talk in started:
        talk.leave()
