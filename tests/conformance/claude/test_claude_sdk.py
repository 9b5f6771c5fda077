"""The real Claude Agent SDK with the real CLI: its tools are approved over ClawTap.

The SDK brings a CLI of its own, which makes it heavy: it is no requirement, `pip install
claude-agent-sdk` beside ClawTap runs these.
"""

from __future__ import annotations

import asyncio
import threading

import pytest
from clawtap_claude.live import turns
from clawtap_claude.sdk import can_use_tool

from clawtap_core.client import HttpTransport
from clawtap_core.testing.server_process import TOKEN

sdk = pytest.importorskip("claude_agent_sdk")
COLOUR = turns.choice("Which colour?", "Red", "Blue", header="Colour")
CHECKS = turns.choice("Which checks?", "Tests", "Types", header="Checks", multi=True)


@pytest.fixture
def tap(testbed):
    """The ClawTap server of the testbed."""
    if testbed.served.process is None:
        testbed.served.start()
    return HttpTransport(testbed.served.url, TOKEN)


@pytest.fixture
def program(testbed, tap):
    """Runs a program with the SDK while somebody answers; the model's results of its calls."""

    def run(scripted, answer, **more):
        testbed.model.play(scripted, "all done")
        cwd = testbed.project()
        testbed.known.append(cwd)
        testbed.settle()
        options = sdk.ClaudeAgentOptions(
            can_use_tool=can_use_tool(tap, asker="sdk program", **more),
            cwd=str(cwd),
            env=testbed.env,
            cli_path=testbed.env["PATH"].split(":")[0] + "/claude",
        )
        person = threading.Thread(target=_answer, args=(tap, answer))
        person.start()
        asyncio.run(_chat(options))
        person.join(10)
        return [str(one["response"]) for one in testbed.model.log.function_responses()]

    return run


async def _chat(options):
    async with sdk.ClaudeSDKClient(options) as client:
        await client.query("go on")
        async for _ in client.receive_response():
            pass


def _answer(tap, answer):
    if answer:
        with_events = tap.events(idle=1)
        for event in with_events:
            waits = [one for one in tap.pending() if one.channel == "external"]
            if waits:
                answer(waits[0])
                return
            assert event is None or event.type != "session_error"


def test_a_tool_is_approved(program, tap, tmp_path):
    made = tmp_path / "made"
    seen = []

    def approve(prompt):
        seen.append(prompt.form)
        tap.approve(prompt.session_id, prompt.request_id)

    program(turns.shell(f"touch {made}"), approve)
    assert made.exists()
    assert (seen[0].tool_name, seen[0].tool_input["command"]) == ("Bash", f"touch {made}")
    assert seen[0].tool_call_id


def test_a_tool_is_refused_with_a_reason(program, tap, tmp_path):
    made = tmp_path / "made"
    refuse = tap.deny
    (reported,) = program(
        turns.shell(f"touch {made}"),
        lambda prompt: refuse(prompt.session_id, prompt.request_id, reason="not this one"),
    )
    assert "not this one" in reported
    assert not made.exists()


def test_questions_are_answered_as_claude_reads_them(program, tap):
    given = {"0": "Blue", "1": ["Types", "my own"]}
    (reported,) = program(
        turns.ask(COLOUR, CHECKS),
        lambda prompt: tap.submit_answers(prompt.session_id, prompt.request_id, given),
    )
    reported = reported.replace("\\", "")
    assert '"Which colour?"="Blue"' in reported
    assert '"Which checks?"="Types, my own"' in reported


def test_the_model_hears_that_nobody_answered(program):
    (reported,) = program(turns.shell("touch nothing"), None, seconds=0.5)
    assert "Tool approval timed out after" in reported
