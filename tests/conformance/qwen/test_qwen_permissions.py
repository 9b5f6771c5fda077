"""Permissions of Qwen Code: what is allowed is run, what is denied is not."""

from __future__ import annotations

import pytest
from clawtap_qwen.live import turns
from patience import until
from permission_scenarios import (
    asks_twice_for_two_identical_calls,
    denies_a_command,
    keeps_a_prompt_while_another_call_is_drawn,
    labels,
    makes_an_edit,
    sends_no_reason_as_a_command,
    sends_the_reason_as_the_next_message,
    writes_no_file_when_denied,
)

ONCE, REFUSE = "Yes, allow once", "No, suggest changes"


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "run_shell_command")
    assert prompt["toolInput"]["command"] == "touch once.txt && ls"
    assert (labels(prompt)[0], labels(prompt)[-1]) == (ONCE, REFUSE)
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()


def test_a_command_is_allowed_always_in_this_project(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.shell("mkdir first"), turns.shell("mkdir second"))
    always = labels(prompt)[1]
    assert "mkdir" in always
    assert talk.approve(prompt, option=always).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "second").is_dir()
    assert talk.pending() == []


def test_a_command_is_denied(talk):
    denies_a_command(talk, turns)


def test_the_reason_of_a_refusal_is_the_next_message(talk):
    sends_the_reason_as_the_next_message(talk, turns)


def test_a_reason_that_reads_like_a_command_is_words(talk):
    sends_no_reason_as_a_command(talk, turns)


def test_an_edit_shows_its_diff_and_is_made(talk):
    description = makes_an_edit(talk, turns, "edit")
    assert "- two" in description
    assert "+ TWO" in description


def test_a_file_is_not_written_when_that_is_denied(talk):
    writes_no_file_when_denied(talk, turns, "write_file")


def test_an_mcp_tool_is_allowed(talk):
    prompt = talk.do(turns.mcp("greet", name="World"))
    assert prompt["toolName"] == "mcp__lab__greet"
    assert talk.approve(prompt).status == 200
    assert "Hello World" in str(talk.outputs())
    talk.finish()


def test_a_page_is_fetched(talk):
    prompt = talk.do(turns.fetch(talk.model.url + "/page"))
    assert prompt["toolName"] == "web_fetch"
    assert "/page" in prompt["description"]
    assert talk.approve(prompt).status == 200
    assert talk.outputs()
    talk.finish()


@pytest.mark.parametrize(
    "command", ["touch 'a\x1b[2Jb' && rm -rf made", "touch safe\rrm -rf made"], ids=["escape", "cr"]
)
def test_a_command_with_control_characters_is_known_whole(talk, command):
    if "\r" in command and talk.testbed.version == "0.15.10":
        pytest.skip("it breaks the frame of the dialog, which is shown with its screen")
    prompt = talk.do(turns.shell(command))
    # 0.15.10 writes the call a moment after its prompt has opened.
    until(lambda: talk.pending()[0]["description"] == repr(command)[1:-1])
    assert talk.pending()[0]["toolInput"]["command"] == command
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_two_identical_calls_at_once_are_two_prompts(talk):
    asks_twice_for_two_identical_calls(talk, turns)


@pytest.mark.parametrize(
    "command", ["touch " + "a-long-name " * 30, "touch long.txt\n" + "# x\n" * 60]
)
def test_a_command_that_the_screen_cuts_is_read_whole(talk, command):
    prompt = talk.do(turns.shell(command.strip()))
    talk.until(lambda _: talk.pending()[0].get("toolInput"))
    (prompt,) = talk.pending()
    assert prompt["toolInput"]["command"] == command.strip()
    assert not prompt.get("truncated")
    assert talk.deny(prompt).status == 200
    talk.idle()


@pytest.mark.parametrize("size", [(60, 10), (80, 12)], ids=str)
def test_a_command_that_a_low_pane_has_no_room_for_is_known_whole(testbed, own, size):
    if (testbed.version, size) == ("0.15.10", (60, 10)):
        pytest.skip("shows nothing of what it asks about: the card says so")
    talk = own(cols=size[0], rows=size[1])
    talk.idle(90)
    echoes = "\n".join(f"echo line {number} of it" for number in range(30))
    prompt = talk.do(turns.shell(f"touch low.txt\n{echoes}"))
    talk.until(lambda _: talk.pending()[0].get("toolInput"))
    (prompt,) = talk.pending()
    assert prompt["toolInput"]["command"] == f"touch low.txt\n{echoes}"
    assert not prompt.get("truncated")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_equal_commands_in_a_low_pane_are_one_prompt_each(own):
    # 0.24.4 may show a prompt first in fewer rows than it then takes: older calls come into sight.
    talk = own(cols=80, rows=24)
    talk.idle(90)
    for _ in range(8):
        prompt = talk.do(turns.shell("touch refused.txt"))
        reply = talk.deny(prompt, reason="use a temporary folder")
        assert (reply.status, reply.body["state"]) == (200, "denied"), (reply, talk.seat.text())
        talk.idle()


def test_a_call_that_is_drawn_above_a_prompt_is_not_its_call_answered(talk):
    keeps_a_prompt_while_another_call_is_drawn(talk, turns)
