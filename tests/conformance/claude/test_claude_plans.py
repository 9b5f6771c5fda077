"""Plans of Claude Code: approved in each way, and sent back with feedback."""

from __future__ import annotations

import time

import pytest
from clawtap_claude.live import turns

from clawtap_core.testing.scripted.turns import call, turn

PLAN = "# The plan\n\n1. Write a test\n2. Make it pass\n"
BY_HAND = "Yes, manually approve edits"


@pytest.fixture
def planning(own):
    """A session in plan mode."""
    talk = own(permissionMode="plan")
    talk.idle(60)
    talk.until(lambda now: now["mode"] == "plan")
    return talk


def test_a_plan_is_approved_to_be_asked_about_each_edit(planning):
    prompt = planning.do(*turns.plan(PLAN))
    assert prompt["type"] == "plan"
    assert "Make it pass" in prompt["description"]
    assert prompt["textInput"] is not None
    assert planning.approve(prompt, option=BY_HAND).status == 200
    assert "approved" in str(planning.outputs(2))
    planning.finish()
    planning.until(lambda now: now["mode"] == "default")


def test_a_plan_that_scrolls_in_24_rows_is_shown_whole(own):
    talk = own(permissionMode="plan", cols=80, rows=24)
    talk.idle(60)
    steps = "\n".join(f"{at}. Do step number {at}" for at in range(1, 31))
    prompt = talk.do(*turns.plan(f"# The plan\n\n{steps}\n"))
    assert prompt.get("truncated") or "step number 30" in prompt["description"], prompt
    talk.until(lambda _: "step number 30" in talk.pending()[0]["description"])
    assert talk.pending()[0]["requestId"] == prompt["requestId"]
    assert talk.approve(prompt, option=BY_HAND).status == 200
    assert "approved" in str(talk.outputs(2))
    talk.finish()


def test_a_plan_is_approved_to_go_on_alone(planning):
    prompt = planning.do(*turns.plan(PLAN))
    first = prompt["options"][0]
    assert first["effect"] == "allow_always"
    assert planning.approve(prompt, option=first["label"]).status == 200
    assert "approved" in str(planning.outputs(2))
    planning.idle()
    planning.until(lambda now: now["mode"] in ("auto", "acceptEdits"))


def test_a_plan_is_sent_back_with_feedback_and_approved_then(planning):
    prompt = planning.do(*turns.plan(PLAN), turns.plan(PLAN)[1])
    reply = planning.respond(prompt, textValue="Add a migration first")
    assert reply.status == 200, reply
    assert "Add a migration first" in str(planning.outputs(2))
    again = planning.prompt()
    assert again["requestId"] != prompt["requestId"]
    assert planning.approve(again, option=BY_HAND).status == 200
    planning.outputs(3)
    planning.finish()


def test_a_plan_is_denied_with_a_reason(planning):
    prompt = planning.do(*turns.plan(PLAN))
    reply = planning.deny(prompt, reason="too long")
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    assert "too long" in str(planning.outputs(2))
    planning.idle()
    assert planning.get().body["mode"] == "plan"


def test_the_reason_of_an_approval_is_the_next_message(planning):
    prompt = planning.do(*turns.plan(PLAN))
    reply = planning.approve(prompt, option=BY_HAND, reason="and with tabs, please")
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    assert "approved" in str(planning.outputs(2))
    assert planning.log.wait(lambda log: log.times_said("and with tabs, please") == 1, 60)
    planning.idle()


def test_a_plan_that_the_desk_opens_in_an_editor_waits_until_that_is_closed(planning):
    prompt = planning.do(*turns.plan(PLAN))
    planning.seat.press("C-g")
    planning.seat.see("All")
    reply = planning.respond(prompt, textValue="Add a migration first")
    assert (reply.status, reply.body["code"]) == (409, "prompt_changed")
    assert "migration" not in planning.seat.text()
    assert [each["requestId"] for each in planning.pending()] == [prompt["requestId"]]
    planning.seat.type(":q!")
    planning.seat.press("Enter")
    planning.seat.see_gone("All")
    planning.seat.see(BY_HAND)
    assert planning.approve(prompt, option=BY_HAND).status == 200
    assert "approved" in str(planning.outputs(2))
    planning.finish()


def test_feedback_on_a_plan_that_the_desk_looked_at_in_an_editor_is_ours(planning):
    prompt = planning.do(*turns.plan(PLAN))
    planning.seat.press("C-g")
    planning.seat.see("All")
    planning.seat.type(":q!")
    planning.seat.press("Enter")
    planning.seat.see_gone("All")
    planning.seat.see(BY_HAND)
    reply = planning.respond(prompt, textValue="Add a migration first")
    assert (reply.status, reply.body.get("state")) == (200, "answered"), reply
    assert "Add a migration first" in str(planning.outputs(2))
    planning.finish()


@pytest.mark.parametrize("allow", [True, False])
def test_leaving_plan_mode_without_a_plan_is_allowed_or_denied(planning, allow):
    prompt = planning.do(turn(call("ExitPlanMode")))
    assert (prompt["type"], prompt["title"]) == ("permission", "Exit plan mode?")
    reply = planning.approve(prompt) if allow else planning.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered" if allow else "denied"), reply
    planning.until(lambda now: now["mode"] == ("default" if allow else "plan"))
    planning.idle()


def test_a_plan_whose_editor_leaves_a_part_of_the_screen_was_answered_by_nobody(testbed, own):
    script = testbed.home / "bin" / "short-editor"
    script.parent.mkdir(exist_ok=True)
    # No key closes it: on a busy machine that would reach the plan, and approve it.
    closed = testbed.home / "editor-closed"
    script.write_text(
        "#!/bin/sh\nprintf '\\033[2J\\033[Hthe plan is edited\\n'\n"
        f"until rm '{closed}' 2>/dev/null; do sleep 0.1; done\n"
    )
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(testbed.env, "EDITOR", str(script))
        patch.setitem(testbed.env, "VISUAL", str(script))
        seat, cwd = testbed.sit()
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    assert talk.post("permission-mode", mode="plan").status == 200
    prompt = talk.do(*turns.plan(PLAN))
    for _ in range(2):
        seat.press("C-g")
        seat.see("the plan is edited")
        closed.touch()
        seat.see_gone("the plan is edited")
    time.sleep(3)
    (waits,) = talk.pending()
    # 2.1.85 paints the last row of its prompt only, or so much that a plan can be read again.
    assert waits["type"] in ("plan", "unknown")
    if waits["requestId"] != prompt["requestId"]:
        assert talk.resolved(prompt)["state"] == "cancelled"
    talk.leave()
    seat.close()
