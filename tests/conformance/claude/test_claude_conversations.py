"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import subprocess
import time

import pytest
from clawtap_claude.live import turns
from conversation_scenarios import SCENARIOS, Stage, last_of, search, spoken, until_said


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    def pick(seat):
        search(seat)  # Enter leaves the field that is searched by
        time.sleep(1)
        seat.press("Enter")

    scenario(Stage(testbed, own, lend, turns, "claude", testbed.sit, "/clear", pick=pick))


def test_a_new_conversation_at_the_desk_is_followed_without_a_hook(testbed):
    if not testbed.new:
        pytest.skip("this version does not say which conversation it holds")
    seat, cwd = testbed.sit()
    testbed.model.play("a first word", "a second word")
    seat.say("typed at the desk")
    seat.see("a first word")
    talk = testbed.adopt(seat.pane, cwd)
    until_said(talk, "a first word")
    before = talk.get().body["cliSessionId"]
    seat.say("/clear")
    talk.until(lambda now: now["cliSessionId"] != before)
    talk.say("from the phone")
    said = spoken(until_said(talk, "a second word"))
    assert ("user", "typed at the desk") not in said
    talk.leave()
    seat.close()


def test_messages_that_the_desk_went_back_to_before_leave_the_conversation(own):
    talk = own()
    talk.idle(60)
    for text in ("remember the first", "forget the second"):
        talk.play()
        talk.say(text)
        talk.finish()
    until_said(talk, "forget the second", talk.end)
    talk.seat.say("/rewind")
    talk.seat.see("Enter to continue")
    talk.seat.press("Up", "Enter")
    talk.seat.see("Restore conversation")
    talk.seat.press("Enter")
    talk.seat.see_gone("Restore conversation")
    talk.seat.see("forget the second")  # in the composer
    talk.seat.press("C-u")
    talk.play()
    talk.say("and the third")
    talk.finish()
    said = spoken(until_said(talk, talk.end))
    assert [text for who, text in said if who == "user"] == ["remember the first", "and the third"]


def test_a_session_is_followed_into_a_worktree_and_back(testbed):
    """The newer version moves its file to another folder and back."""
    cwd = testbed.project()
    for command in ("init -q", "-c user.name=a -c user.email=a@b.c commit -q --allow-empty -m a"):
        subprocess.run(["git", *command.split()], cwd=cwd, check=True)
    talk = testbed.start(cwd=cwd)
    talk.idle(60)
    calls = (("EnterWorktree", {"name": "side"}), ("ExitWorktree", {"action": "keep"}))
    for tool, arguments in calls:
        look_up = turns.turn(turns.call("ToolSearch", query=f"select:{tool}"))
        before = [look_up] if testbed.new else []
        talk.play(*before, turns.turn(turns.call(tool, **arguments)))
        talk.say()
        talk.finish()
        until_said(talk, talk.end)
    assert talk.get().body["cwd"] == str(cwd)
    talk.leave()


def test_a_shell_command_of_the_desk_is_in_the_conversation_as_it_was_typed(talk):
    since = last_of(talk)
    talk.play()
    talk.seat.type("!")
    talk.seat.see("! for")
    talk.seat.type("echo all of it")
    talk.seat.see("echo all of it")
    time.sleep(0.5)
    talk.seat.press("Enter")
    talk.say("after the command")
    talk.finish()
    said = spoken(until_said(talk, "after the command", **since))
    assert ("user", "!echo all of it") in said
    assert not [words for _, words in said if "<bash" in str(words)]


def test_two_subagents_speak_under_the_names_of_their_tasks(talk):
    since = last_of(talk)
    tasks = [f"Look through the {name} folder" for name in ("build", "cache")]
    starts = [
        turns.call("Agent", description=task, prompt=task, subagent_type="general-purpose")
        for task in tasks
    ]
    says = [{**turns.turn(text=f"I did {task}"), "to": task} for task in tasks]
    talk.play(turns.turn(*starts), *says)
    talk.say()
    talk.finish()
    messages = until_said(talk, talk.end, *(f"I did {task}" for task in tasks), **since)
    spoke = {
        block["text"]: each.get("origin")
        for each in messages
        for block in each["content"]
        if each["role"] == "assistant" and block["type"] == "text"
    }
    assert {f"I did {task}": task for task in tasks}.items() <= spoke.items()
