"""Sub-agents that ask in the pane of the agent that started them."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns


@pytest.fixture
def talk(testbed, own):
    """An idle session whose model may start sub-agents."""
    feature = "multi_agent" if testbed.version == "0.116.0" else "multi_agent_v2"
    talk = own(args=[*testbed.flags, "-c", f"features.{feature}=true"])
    talk.idle(60)
    return talk


def spawn(version):
    if version == "0.116.0":
        return turns.turn(turns.call("spawn_agent", message="touch", agent_type="default"))
    task = {"message": "touch", "task_name": "toucher"}
    return turns.turn(turns.call("spawn_agent", "collaboration", **task))


def test_a_sub_agent_asks_in_its_own_name(testbed, talk):
    talk.play(spawn(testbed.version), *map(turns.shell, ("touch a.txt", "touch b.txt")), "so", "so")
    talk.say()
    origins = []
    for _ in range(2):
        prompt = talk.prompt()
        origins.append(prompt.get("origin"))
        assert talk.approve(prompt).status == 200
    talk.idle()
    assert (talk.cwd / "a.txt").exists()
    assert (talk.cwd / "b.txt").exists()
    (sub_agent,) = filter(None, origins)
    assert None in origins
    assert sub_agent == "toucher" or sub_agent.endswith("[default]")


def test_the_main_agent_has_no_origin_while_the_desk_looks_at_a_sub_agent(testbed, talk):
    later = {**turns.shell("touch main.txt"), "delay": 4}
    last = {"parts": [{"text": "so"}], "delay": 8}
    talk.play(spawn(testbed.version), later, turns.shell("touch sub.txt"), last, "so")
    talk.say()
    assert talk.prompt()["origin"]
    talk.seat.press("o")
    # Where it is looked at, a sub-agent's prompt does not name it.
    assert talk.approve(talk.prompt()).status == 200
    prompt = talk.prompt()
    assert "touch main.txt" in prompt["description"]
    assert prompt.get("origin") is None
    assert talk.approve(prompt).status == 200
    talk.until(lambda _: (talk.cwd / "main.txt").exists())
    assert (talk.cwd / "sub.txt").exists()
