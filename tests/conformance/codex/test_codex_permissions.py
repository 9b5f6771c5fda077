"""Approvals: what is allowed is run, what is denied is not, and the model hears of it."""

from __future__ import annotations

import shutil
import time

import pytest
from clawtap_codex.live import turns
from conversation_scenarios import conversation, spoken, until_said
from permission_scenarios import (
    asks_again_for_a_repeated_command,
    sends_the_reason_of_an_approval_as_the_next_message,
)

from clawtap_core.testing.scripted.turns import turn

PROCEED = "yes-proceed"


def option(prompt, effect):
    return next(each["value"] for each in prompt["options"] if each["effect"] == effect)


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt", "May I touch it?"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "exec_command")
    assert prompt["toolInput"] == {"command": "touch once.txt"}
    assert "May I touch it?" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "once.txt").exists()


def test_a_command_that_is_always_allowed_is_not_asked_for_again(talk):
    prompt = talk.do(turns.shell("mkdir -p always"), turns.shell("mkdir -p always"))
    assert talk.approve(prompt, option=option(prompt, "allow_always")).status == 200
    assert len(talk.outputs(2)) == 2
    talk.finish()
    assert talk.pending() == []


def test_a_command_that_is_denied_is_not_run(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()


def test_the_reason_of_an_approval_is_the_next_message(talk):
    sends_the_reason_of_an_approval_as_the_next_message(talk, turns)


def test_a_reason_reaches_the_model_as_the_next_message(talk):
    prompt = talk.do(turns.shell("touch reason.txt"))
    assert talk.deny(prompt, reason="use a folder instead").status == 200
    talk.finish()
    assert talk.log.times_said("use a folder instead") == 1
    assert "aborted by user" in str(talk.log.function_responses())
    assert not (talk.cwd / "reason.txt").exists()


def known(talk):
    """The open prompt as soon as its call was found in the transcript."""
    end = time.monotonic() + 15
    while not (prompt := talk.pending()[0]).get("toolCallId"):
        assert time.monotonic() < end, prompt
        time.sleep(0.05)
    return prompt


def test_what_the_screen_hides_of_a_command_comes_from_the_transcript(testbed, talk):
    (talk.cwd / "below").mkdir(exist_ok=True)
    below = str(talk.cwd / "below")
    command = "touch one\ttwo"
    talk.do(turns.turn(turns.command(command, "Two files", workdir=below)))
    prompt = known(talk)
    assert prompt["toolInput"] == {"command": command, "workdir": below}
    assert prompt["description"] == f"Reason: Two files\nFolder: {below}\n$ {command}"
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "below" / "one").exists()
    assert (talk.cwd / "below" / "two").exists()


def test_a_command_that_the_cli_cuts_is_whole_in_the_transcript(talk):
    command = "touch long.txt\n" + "\n".join(f"echo line {number}" for number in range(200))
    talk.do(turns.shell(command))
    prompt = known(talk)
    assert prompt["toolInput"] == {"command": command}
    assert prompt["description"].endswith("echo line 199")
    assert not prompt.get("truncated")
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_prompt_whose_command_the_desk_reads_whole_was_not_answered(own):
    talk = own()
    talk.idle(90)
    command = "touch read.txt\n" + "\n".join(f"echo line {number}" for number in range(100))
    prompt = talk.do(turns.shell(command))
    talk.seat.see("view all")
    talk.seat.press("C-a")
    talk.seat.see("E X E C")
    time.sleep(3)  # by then it would be said to be answered
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 502
    assert "E X E C" in talk.seat.text()
    talk.seat.press("q")
    talk.seat.see("1. Yes, proceed")
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "read.txt").exists()


@pytest.mark.parametrize(
    "call",
    [
        turns.command("touch src\t/etc/by-a-tab"),
        turns.command("touch by-a-folder", workdir="/etc"),
        turns.command("touch by-a-shell", shell="/bin/sh"),
    ],
    ids=["a tab", "a folder", "a shell"],
)
def test_a_rule_allows_no_command_that_the_screen_shows_otherwise(testbed, talk, call):
    where = {"adapter": "codex", "folder": str(talk.cwd), "tool": "exec_command"}
    rule = {"name": "touches", "decision": "allow", "commands": ["touch ..."], **where}
    assert (
        testbed.client.post("/api/rules", {"rules": [{**rule, "expires": "2099-01-01"}]}).status
        == 201
    )
    try:
        talk.do(turns.turn(call))
        prompt = known(talk)
        explained = testbed.client.get(f"/api/prompts/{prompt['requestId']}/rules").body
        assert explained["judgement"]["decision"] != "allow", explained
        assert talk.deny(prompt).status == 200
    finally:
        testbed.client.delete("/api/rules/touches")
    talk.idle()


def test_a_script_of_several_lines_has_no_always(talk):
    script = 'set -e\nfor name in a b; do\n  touch "script-$name"\ndone'
    prompt = talk.do(turns.shell(script))
    assert prompt["toolInput"] == {"command": script}
    assert [each["effect"] for each in prompt["options"]] == ["allow_once", "deny"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "script-b").exists()


def test_a_command_whose_folder_is_gone_is_answered_and_said_to_have_failed(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.shell("touch homeless.txt"))
    shutil.rmtree(talk.cwd)
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    until_said(talk, talk.end)
    assert [each for each in spoken(conversation(talk)) if each[0] == "call"] == [("call", "error")]


def test_parallel_calls_are_asked_for_one_after_another(talk):
    first = talk.do(turns.parallel(["touch left.txt", "touch right.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "left.txt").exists()
    assert (talk.cwd / "right.txt").exists()


def test_a_call_that_ran_before_another_was_denied_is_not_said_to_have_been_refused(testbed, talk):
    first = talk.do(turns.parallel(["touch east.txt", "touch west.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    if testbed.version == "0.116.0":
        # What it notes of a call that still runs is that it was cancelled.
        talk.seat.see("Ran touch")
    assert talk.deny(second).status == 200
    talk.idle()
    (ran,) = (name for name in ("east", "west") if (talk.cwd / f"{name}.txt").exists())

    end = time.monotonic() + 10
    while not (messages := talk.get("/messages").body["messages"])[-1].get("notice"):
        assert time.monotonic() < end
        time.sleep(0.1)
    *_, one, other, notice = messages
    calls = {call["content"][0]["input"]["cmd"]: call["content"][0] for call in (one, other)}
    status = calls[f"touch {ran}.txt"]["status"]
    if testbed.version == "0.116.0":
        assert (status, notice["content"][0]["text"]) == ("success", "The turn was interrupted")
    else:
        # It writes the same of both calls.
        assert status == "cancelled"
        assert "not say which of its cancelled calls had run" in notice["content"][0]["text"]


def test_the_same_command_twice_is_asked_for_twice(talk):
    asks_again_for_a_repeated_command(talk, turns)


def test_parallel_calls_of_the_same_command_are_two_prompts(talk):
    line = "date >> both.txt"
    first = talk.do(turns.parallel([line, line]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    if talk.approve(second).status == 409:
        # The first call's outcome appeared above it: that looks like one more prompt.
        assert talk.approve(talk.prompt()).status == 200
    talk.outputs(2)
    talk.finish()
    assert len((talk.cwd / "both.txt").read_text().splitlines()) == 2


@pytest.mark.parametrize("effect", ["allow_once", "allow_always"])
def test_an_edit_is_made(talk, effect):
    name = f"edit-{effect}.txt"
    prompt = talk.do(turns.patch(turns.new_file(name, "one", "two")))
    assert prompt["toolName"] == "apply_patch"
    assert name in prompt["description"]
    assert talk.approve(prompt, option=option(prompt, effect)).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / name).read_text() == "one\ntwo\n"


def test_an_edit_that_is_denied_is_not_made(talk):
    prompt = talk.do(turns.patch(turns.new_file("no-edit.txt", "one")))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "no-edit.txt").exists()


def test_an_edit_larger_than_the_screen_is_one_prompt(talk):
    lines = [f"line {number} of many" for number in range(120)]
    prompt = talk.do(turns.patch(turns.new_file("large.txt", *lines)))
    assert prompt.get("truncated") or lines[-1] in prompt["description"], prompt
    assert [each["effect"] for each in prompt["options"]] == ["allow_once", "allow_always", "deny"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert len((talk.cwd / "large.txt").read_text().splitlines()) == 120


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
def test_an_edit_that_the_cli_shortens_is_known_whole_from_the_transcript(own, size):
    talk = own(cols=size[0], rows=size[1])
    talk.idle(60)
    (talk.cwd / "long.py").write_text("".join(f"def old_{at}(): pass\n" for at in range(60)))
    changes = [
        f"@@\n-def old_{at}(): pass\n+def new_{at}(): pass  # {'with words ' * 9}end {at}"
        for at in range(0, 24, 3)
    ]
    prompt = talk.do(turns.patch("*** Update File: long.py", *changes))
    talk.until(lambda _: "end 21" in str(talk.pending()[0].get("toolInput")))
    (whole,) = talk.pending()
    assert whole["requestId"] == prompt["requestId"]
    assert not whole.get("truncated")
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "long.py").read_text().count("new_") == 8


def test_of_two_edits_of_one_file_the_card_shows_the_one_that_is_asked_about(own):
    talk = own()
    talk.idle(60)
    (talk.cwd / "same.txt").write_text("one\ntwo\n")
    first, second = (f"*** Update File: same.txt\n@@\n-{at}\n+{at} more" for at in ("one", "two"))
    prompt = talk.do(turn(turns.edit(first), turns.edit(second)))
    for at in ("one", "two"):
        talk.until(lambda _, at=at: f"+{at} more" in str(talk.pending()[0].get("toolInput")))
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt() if at == "one" else prompt
    talk.finish()
    assert (talk.cwd / "same.txt").read_text() == "one more\ntwo more\n"


@pytest.mark.parametrize("size", [(60, 20), (200, 50)])
def test_a_command_longer_than_the_screen_is_one_prompt_at_every_size(own, size):
    talk = own(cols=size[0], rows=size[1])
    talk.idle(60)
    line = "touch long.txt && echo " + " ".join(f"word{number}" for number in range(300))
    talk.do(turns.shell(line))
    prompt = known(talk)
    assert prompt["toolInput"] == {"command": line}
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "long.txt").exists()


@pytest.mark.parametrize("rows", [20, 15])
def test_options_that_a_small_pane_hides_are_found(own, rows):
    talk = own(cols=60, rows=rows)
    talk.idle(60)
    words = " ".join(f"word{number}" for number in range(60))
    prompt = talk.do(turns.shell(f"touch hidden.txt && echo {words}", "a long reason " * 20))
    if prompt.get("moreOptions"):
        reply = talk.post("expand", requestId=prompt["requestId"])
        assert reply.status == 200, reply
        prompt = reply.body
    effects = [each["effect"] for each in prompt["options"]]
    assert effects == ["allow_once", "allow_always", "deny"]
    assert talk.respond(prompt, selectedOption=option(prompt, "deny")).status == 200
    talk.idle()
    assert not (talk.cwd / "hidden.txt").exists()


def test_permissions_are_granted(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.permissions("Need the network"))
    if prompt["title"] != "Would you like to grant these permissions?":
        pytest.skip(f"asked for {prompt['title']!r}")
    assert prompt["toolName"] == "request_permissions"
    assert talk.approve(prompt).status == 200
    assert "network" in str(talk.outputs())
    talk.finish()


def test_permissions_are_refused(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.permissions())
    assert talk.deny(prompt).status == 200
    talk.finish()


@pytest.mark.parametrize("which", [0, 1])
def test_a_tool_of_an_mcp_server_is_allowed(own, which):
    talk = own()
    talk.idle(60)
    call = turns.mcp(talk.testbed.version, "delete_note", id="n1")
    prompt = talk.do(call)
    assert (prompt["type"], prompt["toolName"]) == ("permission", "lab.delete_note")
    chosen = prompt["options"][which]
    assert chosen["effect"] == ("allow_once", "allow_always")[which]
    assert talk.approve(prompt, option=chosen["value"]).status == 200
    assert "delete_note" in str(talk.outputs())
    talk.finish()


def test_a_tool_of_an_mcp_server_is_refused(talk):
    prompt = talk.do(turns.mcp(talk.testbed.version, "delete_note", id="n2"))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert '"done"' not in str(talk.log.function_responses())


def test_a_prompt_that_comes_while_the_desk_types_is_answered_and_the_draft_stays(talk):
    if talk.testbed.version == "0.116.0":
        pytest.skip("0.116 takes what is typed for the answer")
    talk.begin(turns.shell("touch typed.txt"), seconds=1.0)
    for letter in "half a thought":
        talk.seat.type(letter)
        time.sleep(0.12)  # as a person types: the CLI waits with its prompt
    prompt = talk.prompt()
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.seat.see("half a thought")
    talk.seat.press("C-c")
    talk.finish()
    assert talk.log.times_said("half a thought") == 0


@pytest.mark.parametrize("answer", ["approve", "deny"])
def test_a_prompt_whose_list_scrolls_is_answered(own, answer):
    talk = own(cols=60, rows=15)
    talk.idle(60)
    prompt = talk.do(
        turns.shell("touch scrolled.txt && echo " + "word " * 60, "a long reason " * 20)
    )
    assert getattr(talk, answer)(prompt).status == 200
    talk.idle()
    assert (talk.cwd / "scrolled.txt").exists() == (answer == "approve")


def small_edit(name):
    lines = (f"{name} {number}" for number in range(5))
    return turns.edit(turns.new_file(f"{name}.txt", *lines))


def long_command(name):
    """A command of seventy lines, which no screen shows whole."""
    comments = (f"# {name} line {number}" for number in range(69))
    return turns.command("\n".join((*comments, f"touch {name}.txt")))


@pytest.mark.parametrize("pause", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("call", [long_command, small_edit])
def test_of_two_calls_in_one_turn_the_second_is_another_prompt(talk, call, pause):
    names = [f"{call.__name__}-{pause}-{side}" for side in ("left", "right")]
    first = talk.do(turns.turn(*map(call, names)))
    # 0.116 asks for either of the two first.
    allowed, denied = sorted(names, key=lambda name: name not in first["description"])
    time.sleep(pause)
    talk.seat.press("y")
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(first).status == 409
    assert talk.resolved(first)["state"] == "answered_elsewhere"
    # A refusal interrupts the turn, with all that it still runs.
    talk.until(lambda _: (talk.cwd / f"{allowed}.txt").exists())
    assert talk.deny(second).status == 200
    talk.idle()
    assert not (talk.cwd / f"{denied}.txt").exists()


@pytest.mark.parametrize("same_file", [False, True])
def test_an_edit_that_follows_on_one_answered_at_the_desk_is_another_prompt(own, same_file):
    talk = own()
    talk.idle(60)
    names = ("first.txt", "first.txt" if same_file else "second.txt")
    (talk.cwd / "first.txt").write_text("")
    edits = [
        turns.patch(turns.new_file(name, *(f"{name} {at} {line}" for line in range(5))))
        for at, name in enumerate(names)
    ]
    first = talk.do(*edits)
    talk.seat.press("Enter")
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert second["description"] != first["description"]
    assert talk.approve(first).status == 409
    assert talk.resolved(first)["state"] == "answered_elsewhere"
    assert talk.deny(second).status == 200
    talk.idle()
    assert not (talk.cwd / "second.txt").exists()


def test_arguments_of_a_tool_that_the_cli_cuts_are_never_shown_as_if_they_were_whole(talk):
    given = {"id": "n1", "why": ("because of it " * 40).strip()}
    prompt = talk.do(turns.mcp(talk.testbed.version, "delete_note", **given))
    assert prompt.get("truncated") or "..." not in prompt["description"], prompt
    talk.until(lambda _: talk.pending()[0].get("toolInput") == given)
    (prompt,) = talk.pending()
    assert not prompt.get("truncated")
    assert "..." not in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()


def test_in_a_low_pane_the_whole_command_and_the_arguments_of_a_tool_are_known(own):
    talk = own(cols=60, rows=15)
    talk.idle(60)
    line = f"touch known.txt && echo {'long words ' * 12}"
    prompt = talk.do(turns.shell(line, "because " * 9))
    talk.until(lambda _: (talk.pending()[0].get("toolInput") or {}).get("command") == line)
    assert talk.approve(prompt).status == 200
    talk.finish()
    given = {"id": "n1", "why": "because of it " * 12}
    prompt = talk.do(turns.mcp(talk.testbed.version, "delete_note", **given))
    talk.until(lambda _: talk.pending()[0].get("toolInput") == given)
    assert talk.approve(prompt).status == 200
    talk.finish()


def test_in_a_pane_that_shows_the_reason_alone_the_whole_command_is_known(own):
    talk = own(cols=80, rows=12)
    if talk.testbed.version == "0.116.0":
        pytest.skip("shows not even the reason")
    talk.idle(60)
    line = f"touch alone.txt && echo {'long words ' * 30}".strip()
    prompt = talk.do(turns.shell(line))
    talk.until(lambda _: (talk.pending()[0].get("toolInput") or {}).get("command") == line)
    (now,) = talk.pending()
    assert now["requestId"] == prompt["requestId"]
    assert not now.get("truncated")
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "alone.txt").exists()
