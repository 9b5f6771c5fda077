"""Plans: approved, and sent back."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns

PLAN = "# Add a greeting\n\n1. Parse the name\n2. Print it"


@pytest.fixture
def planning(own):
    """A session in plan mode."""
    talk = own()
    talk.idle(60)
    reply = talk.post("permission-mode", mode="plan")
    assert (reply.status, reply.body.get("mode")) == (200, "plan"), reply
    return talk


def test_a_plan_is_approved(planning):
    prompt = planning.do(turns.plan(PLAN))
    assert prompt["type"] == "plan"
    assert prompt["description"].startswith("# Add a greeting")
    assert planning.approve(prompt).status == 200
    planning.finish()
    assert planning.log.times_said("Implement the plan") == 1
    assert planning.get().body["mode"] != "plan"


def test_a_plan_longer_than_the_pane_is_known_whole_from_the_transcript(planning):
    steps = "\n".join(f"{at}. Change `file_{at}.py` with **care**" for at in range(1, 60))
    code = "```python\nassert ready\n```\n\n| step | done |\n|---|---|\n| write the tests | no |"
    prompt = planning.do(turns.plan(f"# Many steps\n\n{steps}\n\n{code}"))
    planning.until(lambda _: "# Many steps" in planning.pending()[0]["description"])
    (whole,) = planning.pending()
    assert whole["requestId"] == prompt["requestId"]
    assert not whole.get("truncated")
    assert "with **care**" in whole["description"]
    assert planning.approve(prompt).status == 200
    planning.finish()


def test_a_plan_is_sent_back_with_feedback(planning):
    prompt = planning.do(turns.plan(PLAN))
    assert planning.deny(prompt, reason="write the tests first").status == 200
    planning.finish()
    assert planning.log.times_said("write the tests first") == 1
    assert planning.get().body["mode"] == "plan"


def test_a_plan_may_begin_in_a_fresh_context(planning):
    prompt = planning.do(turns.plan(PLAN))
    clear = [each for each in prompt["options"] if "clear context" in each["label"]]
    if not clear:
        pytest.skip("0.116 has no such option")
    assert planning.respond(prompt, selectedOption=clear[0]["value"]).status == 200
    planning.finish()
    assert planning.log.times_said("implement the plan") or planning.log.times_said("plan") >= 1
