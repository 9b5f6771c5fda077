"""What the CLI's own files say is what the model said and saw."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from clawtap_codex.live import turns
from conversation_scenarios import (
    SCENARIOS,
    Stage,
    compact,
    conversation,
    search,
    second,
    spoken,
    until_said,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)
def test_a_conversation(testbed, own, lend, scenario):
    # The newer version lists what it calls conversations, not what was said first in them.
    pick = search if testbed.version == "0.116.0" else second
    scenario(Stage(testbed, own, lend, turns, "codex", testbed.sit, "/clear", pick=pick))


@pytest.fixture
def milk(testbed, own):
    """A session in which three things were said."""
    talk = own()
    talk.idle(60)
    for text in ("remember the milk", "and the bread", "and the butter"):
        talk.play()
        talk.say(text)
        talk.finish()
    until_said(talk, talk.end)
    return talk


def go_back(talk, prompts):
    """Go back to a message of before, which then stands in the composer."""
    old = talk.testbed.version == "0.116.0"
    talk.seat.press("Escape")
    talk.seat.see("esc again to edit")
    talk.seat.press("Escape")
    talk.seat.see("to edit prev" if old else "Browsing transcript")
    for _ in range(prompts):
        time.sleep(0.5)
        talk.seat.press("Left")
    time.sleep(0.5)
    talk.seat.press("Enter")
    talk.seat.see_gone("to edit prev", "Browsing transcript")


def heard(talk):
    return [text for who, text in spoken(conversation(talk)) if who == "user"]


def until_heard(talk, *texts):
    end = time.monotonic() + 20
    while heard(talk) != list(texts):
        assert time.monotonic() < end, heard(talk)
        time.sleep(0.1)


def test_a_conversation_in_which_the_desk_goes_back_is_followed(testbed, milk):
    name = milk.get().body["cliSessionId"]
    go_back(milk, 1)
    milk.seat.see("› and the bread")
    milk.seat.type(" and jam")
    milk.play(turns.shell("touch jam.txt"))
    time.sleep(0.5)
    milk.seat.press("Enter")
    assert milk.approve(milk.prompt()).status == 200
    milk.finish()
    until_heard(milk, "remember the milk", "and the bread and jam")
    assert spoken(conversation(milk))[-1] == ("assistant", milk.end)
    go_back(milk, 0)
    until_heard(milk, "remember the milk")
    milk.seat.press("C-c")
    milk.play()
    milk.say("and tea")
    milk.finish()
    until_heard(milk, "remember the milk", "and tea")
    assert milk.get().body["cliSessionId"] == name
    (stored,) = testbed.client.get(f"/api/history?adapter=codex&cwd={milk.cwd}").body
    assert (stored["cliSessionId"], stored["title"]) == (name, "remember the milk")
    page = testbed.client.get(f"/api/history/codex/{name}").body["page"]
    assert page["messages"] == conversation(milk)
    removed = [each.data for each in milk.events.seen if each.type == "messages_removed"]
    assert len(removed) == 2


def test_a_conversation_that_goes_back_to_its_beginning_is_followed(milk):
    go_back(milk, 2)
    milk.seat.press("C-c")
    milk.play()
    milk.say("forget all that")
    milk.finish()
    until_heard(milk, "forget all that")


def test_a_fork_has_what_was_said_before_it(milk):
    before = spoken(conversation(milk))
    name = milk.get().body["cliSessionId"]
    milk.seat.say("/fork")
    if milk.testbed.version != "0.116.0":
        where = milk.prompt()
        assert milk.respond(where, selectedOption=where["options"][0]["value"]).status == 200
    milk.seat.see("forked from")
    milk.idle()
    milk.play()
    milk.say("another way")
    milk.finish()
    until_heard(milk, "remember the milk", "and the bread", "and the butter", "another way")
    assert spoken(conversation(milk))[: len(before)] == before
    assert milk.get().body["cliSessionId"] != name


def test_a_conversation_that_goes_on_in_another_folder_is_followed_there(milk):
    if milk.testbed.version == "0.116.0":
        pytest.skip("has no /cd")
    other = milk.cwd / "below"
    other.mkdir()
    milk.seat.say(f"/cd {other}")
    milk.seat.see("Working directory changed to")
    milk.idle()
    prompt = milk.do(turns.shell("touch there.txt"), text="make it there")
    assert milk.approve(prompt).status == 200
    milk.finish()
    assert (other / "there.txt").exists()
    until_heard(milk, "remember the milk", "and the bread", "and the butter", "make it there")
    # What a rule allows in the folder of before, it does not allow here.
    assert milk.get().body["cwd"] == str(other)


def test_the_summary_of_a_compaction_is_a_notice_and_no_answer(own):
    talk = own()
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    answered = talk.end
    compact(talk, "/compact", "So far there was milk\n\nand nothing else")
    talk.model.play("I remember the milk")
    talk.say("what was it?")
    assert spoken(until_said(talk, "I remember the milk")) == [
        ("user", "remember the milk"),
        ("assistant", answered),
        ("system", "The conversation was compacted"),
        ("user", "what was it?"),
        ("assistant", "I remember the milk"),
    ]


def test_a_conversation_that_begins_in_a_new_working_tree_is_followed(testbed, own):
    if testbed.version == "0.116.0":
        pytest.skip("asks for no folder")
    cwd = testbed.project()
    commit = ("-c", "user.name=lab", "-c", "user.email=lab@localhost", "commit", "--quiet")
    subprocess.run(("git", "-C", str(cwd), *commit, "--allow-empty", "-m", "begin"), check=True)
    talk = own(cwd=cwd)
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    until_said(talk, talk.end)
    before = talk.get().body["cliSessionId"]
    talk.seat.say("/new")
    where = talk.prompt()
    assert talk.respond(where, selectedOption="create-new-git-worktree").status == 200
    talk.seat.see("Working directory changed to")
    talk.idle()
    prompt = talk.do(turns.shell("touch there.txt"), text="make it there")
    assert talk.approve(prompt).status == 200
    talk.finish()
    until_heard(talk, "make it there")
    now = talk.get().body
    assert now["cliSessionId"] != before
    assert (Path(now["cwd"]) / "there.txt").exists()
    assert not (cwd / "there.txt").exists()


def test_a_conversation_that_another_cli_has_open_is_said_to_wait_at_once(testbed, own):
    if testbed.version == "0.116.0":
        pytest.skip("opens it twice")
    first = own()
    first.idle(60)
    first.play()
    first.say("remember the milk")
    first.finish()
    until_said(first, first.end)
    later = own(cwd=first.cwd, resume=first.get().body["cliSessionId"])
    later.seat.see("This conversation is open in another app")
    assert later.prompt(5)["type"] == "unknown"
    first.leave()
    later.seat.press("r")
    later.idle(30)
    until_said(later, "remember the milk")
