"""Rule 7: what nobody knows reaches the user within three seconds; what is known never does."""

from __future__ import annotations

import time
import types

import pytest
from clawtap_demo import adapter as demo
from demo_testbed import until
from patience import at_best

from clawtap_core import Kind, hookimpl

ASKS = ("approval_required", "question_prompt")


def plugin(**hooks):
    """The demo's adapter with other hooks."""
    module = types.ModuleType("broken_demo")
    for name in ("adapter_info", "launch", "detect_prompt", "detect_state", "respond"):
        setattr(module, name, getattr(demo, name))
    for name, hook in hooks.items():
        hook.__name__ = name
        setattr(module, name, hookimpl(hook))
    return module


def test_a_dialog_nobody_knows_is_shown_within_three_seconds(demo):
    def appears() -> float:
        talk = demo.show("unknown")
        talk.sees("A storm is coming")
        began = time.monotonic()
        prompt = talk.prompt()
        took = time.monotonic() - began
        assert prompt.form.kind is Kind.UNKNOWN
        assert "A storm is coming" in prompt.form.screen
        assert talk.session.state.value == "waiting"
        return took

    assert at_best(3.0, appears) < 3.0


def test_it_is_answered_by_keys_and_then_known_as_that(demo):
    talk = demo.show("unknown", "permission")
    prompt = talk.prompt()
    screen = talk.screen()
    after = talk.transport.keys(talk.id, screen.revision, keys=["Right"])
    assert talk.pending()[0].request_id == prompt.request_id
    talk.transport.keys(talk.id, after.revision, keys=["Enter"])
    ended = talk.ended(prompt)
    assert (ended.state.value, ended.resolution.by) == ("answered", "ann")
    assert talk.decided() == [(["Now"], "")]
    assert talk.prompt(prompt).form.kind is Kind.PERMISSION
    assert talk.refused(talk.prompt(prompt), "nope").status == 400


def test_keys_for_a_screen_that_changed_are_not_pressed(demo):
    talk = demo.show("unknown")
    talk.prompt()
    revision = talk.screen().revision
    talk.press("Right")
    talk.sees("[ Now ]")
    with pytest.raises(Exception, match="screen changed") as caught:
        talk.transport.keys(talk.id, revision, keys=["Enter"])
    assert caught.value.code == "screen_changed"
    assert talk.keys() == ["Right"]


def test_no_option_is_taken_for_a_prompt_that_nobody_knows(demo):
    talk = demo.show("unknown")
    prompt = talk.prompt()
    assert prompt.form.title == "Demo agent needs you in the terminal"
    assert talk.refused(prompt, "yes").code == "unknown_prompt"


def test_busy_idle_spinning_and_slow_clis_are_never_unknown(demo):
    talks = [
        demo.show("busy"),
        demo.start("--chat"),
        demo.start("--chat", "--spinner"),
        demo.start("--show", "edit", "--slow", "1.5"),
        demo.start(*demo.script([{"say": "one two three"}, {"busy": 5}]), "--delay", "200"),
        demo.show("quote"),
    ]
    slow, working = talks[3], talks[4]
    talks[0].state("busy")
    slow.prompt()
    # The work lasts longer than the three seconds after which a screen counts as unknown.
    working.state("busy")
    working.state("idle")
    asked = [event for talk in talks for event in talk.recorded(*ASKS)]
    assert [event.data["type"] for event in asked] == [Kind.PERMISSION]


def broken(screen):
    raise RuntimeError("this adapter is broken")


def hanging(screen):
    while True:
        time.sleep(0.01)


@pytest.mark.parametrize("hook", [broken, hanging], ids=["broken", "hanging"])
def test_a_session_whose_adapter_fails_stays_usable_by_hand(empty_room, hook):
    demo = empty_room
    again = types.FunctionType(hook.__code__, hook.__globals__)
    other = types.FunctionType(hook.__code__, hook.__globals__)
    demo.open(plugin=plugin(detect_prompt=again, detect_state=other))
    talk = demo.show("permission", "loop")
    prompt = until(lambda: next(iter(talk.pending()), None), seconds=15)
    assert "Run this command?" in prompt.form.screen
    assert demo.agent.inventory.adapters()[0].health
    screen = talk.screen()
    talk.transport.keys(talk.id, screen.revision, keys=["y"])
    until(lambda: talk.decided() == [(["Yes, run it"], "")])
    until(lambda: "repeat itself" in talk.pending()[0].form.screen)
