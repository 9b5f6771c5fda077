"""Permissions of OpenCode: what is allowed is run, what is denied is not."""

from __future__ import annotations

import time

import pytest
from clawtap_opencode.live import turns
from permission_scenarios import (
    asks_twice_for_two_identical_calls,
    denies_a_command,
    keeps_a_prompt_while_another_call_is_drawn,
    labels,
    makes_an_edit,
    sends_no_reason_as_a_command,
    sends_the_reason_as_the_next_message,
)


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "bash")
    assert prompt["toolInput"] == {"command": "touch once.txt && ls"}
    assert labels(prompt) == ["Allow once", "Allow always", "Reject"]
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()


def test_allow_always_says_first_what_it_allows(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.shell("mkdir first"), turns.shell("mkdir second"))
    assert talk.approve(prompt, option="Allow always").status == 200
    patterns = talk.prompt()
    assert patterns["title"] == "Always allow"
    assert "mkdir *" in patterns["description"]
    assert labels(patterns) == ["Confirm", "Cancel"]
    assert talk.approve(patterns, option="Confirm").status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "second").is_dir()
    assert talk.pending() == []


def test_allow_always_can_be_cancelled_and_the_command_refused(talk):
    prompt = talk.do(turns.shell("touch never.txt"))
    assert talk.approve(prompt, option="Allow always").status == 200
    patterns = talk.prompt()
    assert talk.respond(patterns, selectedOption="cancel").status == 200
    again = talk.prompt()
    assert again["toolInput"] == {"command": "touch never.txt"}
    assert talk.deny(again).status == 200
    talk.idle()
    assert not (talk.cwd / "never.txt").exists()


def test_a_command_is_denied(talk):
    denies_a_command(talk, turns)


def test_the_reason_of_a_refusal_is_the_next_message(talk):
    sends_the_reason_as_the_next_message(talk, turns)


def test_a_reason_that_reads_like_a_command_is_words(talk):
    sends_no_reason_as_a_command(talk, turns)


def test_an_edit_shows_its_diff_and_is_made(talk):
    description = makes_an_edit(talk, turns, "edit", reads=False)
    assert "- two" in description
    assert "+ TWO" in description


def test_permissions_are_answered_in_a_low_pane(own):
    talk = own(cols=60, rows=15)
    talk.idle(90)
    path = talk.cwd / "new.txt"
    prompt = talk.do(turns.write(path, "one\ntwo\nthree\n"))
    assert prompt["type"] == "permission", talk.seat.text()
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert path.read_text() == "one\ntwo\nthree\n"
    prompt = talk.do(turns.shell("touch low.txt # " + "a long remark " * 40))
    assert prompt["type"] == "permission", talk.seat.text()
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "low.txt").exists()


def test_a_page_is_fetched_and_a_folder_outside_refused(talk):
    prompt = talk.do(turns.fetch(talk.model.url + "/page"))
    assert prompt["toolName"] == "webfetch"
    assert talk.approve(prompt).status == 200
    assert "Hello page" in str(talk.outputs())
    talk.finish()
    prompt = talk.do(turns.read("/etc/hostname"))
    assert prompt["toolName"] == "external_directory"
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_command_with_control_characters_is_known_whole(talk):
    command = "printf 'a\x1b[2Jb' && ls"
    prompt = talk.do(turns.shell(command))
    prompt = talk.get("/pending").body[0]
    assert prompt["toolInput"]["command"] == command
    assert prompt["description"] == r"printf 'a\x1b[2Jb' && ls"
    assert talk.deny(prompt).status == 200
    talk.idle()


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff"], ids=ascii)
def test_a_command_is_shown_with_a_character_that_the_cli_leaves_out(talk, unseen):
    command = f"touch a{unseen}b.txt"
    prompt = talk.do(turns.shell(command))
    talk.until(lambda _: talk.pending()[0]["description"] == command)
    assert talk.pending()[0]["toolInput"]["command"] == command
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_a_rule_allows_a_command_and_none_whose_end_is_not_drawn(testbed, own):
    talk, client, command = own(), testbed.client, "touch by-rule.txt"
    talk.idle(60)
    about = {"folder": str(talk.cwd), "tool": "bash", "commands": [command]}
    rule = {"name": "touches", "decision": "allow", "expires": "2100-01-01T00:00:00Z", **about}
    assert client.post("/api/rules", {"rules": [rule]}).status == 201
    try:
        hiding = command + "\x1b" * 20 + "; touch hidden.txt"
        prompt = talk.do(turns.shell(hiding))
        talk.until(lambda _: (talk.pending()[0].get("toolInput") or {}).get("command") == hiding)
        assert [each["state"] for each in talk.pending()] == ["pending"]
        assert talk.deny(prompt).status == 200
        talk.idle()
        allowed = talk.resolved(talk.do(turns.shell(command)))
        assert (allowed["state"], allowed["resolution"]["by"]) == ("answered", "rule touches")
        talk.finish()
    finally:
        client.delete("/api/rules/touches")
    assert [path.name for path in talk.cwd.glob("*.txt")] == ["by-rule.txt"]


def test_two_identical_calls_at_once_are_two_prompts(talk):
    asks_twice_for_two_identical_calls(talk, turns)


def test_of_long_commands_that_begin_alike_one_is_cut_and_is_opened(talk):
    lines = "\n".join(f"# line {number} of a long command" for number in range(20))
    commands = [f"{lines}\ntouch {name}.txt" for name in ("first", "second")]
    prompt = talk.do(turns.parallel(commands))
    # No row in view tells which of them it is, so none completes it.
    assert prompt["truncated"]
    assert "line 19" not in prompt["description"]
    whole = talk.post("expand", requestId=prompt["requestId"])
    assert whole.status == 200, whole
    assert "line 19" in whole.body["description"]
    assert talk.approve(prompt).status == 200
    second = talk.prompt()
    assert second["toolInput"]["command"] == commands[1]
    assert talk.deny(second).status == 200
    talk.idle()
    assert [path.name for path in talk.cwd.glob("*.txt")] == ["first.txt"]


def subagent(command):
    task = turns.task("look around", "SUBTASK: look around")
    return (
        task,
        {**turns.shell(command), "to": "SUBTASK"},
        {"parts": [{"text": "nothing to do"}], "to": "SUBTASK"},
    )


def test_a_subagents_command_is_refused_with_a_reason_in_its_own_field(talk):
    prompt = talk.do(*subagent("rm -rf build"))
    assert talk.deny(prompt, reason="use the trash").status == 200
    talk.finish()
    assert "use the trash" in str([request.body for request in talk.log.main()])
    assert talk.log.times_said("use the trash") == 0


def test_a_subagents_command_is_refused_without_a_reason(talk):
    prompt = talk.do(*subagent("rm -rf dist"))
    assert talk.deny(prompt).status == 200
    talk.finish()


def test_a_call_that_is_drawn_above_a_prompt_is_not_its_call_answered(talk):
    keeps_a_prompt_while_another_call_is_drawn(talk, turns)


def test_no_answer_is_typed_into_the_help_that_the_desk_opened(own):
    talk = own()
    talk.idle(90)
    talk.begin(turns.shell("touch helped.txt"), seconds=6.0)
    talk.seat.see("esc interrupt")  # what is typed earlier was lost in 5 of 6 runs
    talk.seat.type("/help")
    talk.seat.see("/help")
    time.sleep(1)  # it completes what is typed
    talk.seat.press("Enter")
    talk.seat.see("esc/enter", "Permission required")
    assert talk.prompt()["type"] == "unknown"
    talk.seat.press("Enter")
    talk.seat.see_gone("esc/enter")
    prompt = talk.prompt()
    assert not (talk.cwd / "helped.txt").exists()
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_prompt_under_the_side_bar_stays_open(talk):
    prompt = talk.do(turns.shell("touch under.txt"))
    for covered in (True, False):
        talk.seat.press("C-x", "b")
        (talk.seat.see if covered else talk.seat.see_gone)("• OpenCode")
        time.sleep(3)
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        assert talk.approve(prompt).status == (502 if covered else 200)
    talk.finish()
    assert (talk.cwd / "under.txt").exists()
