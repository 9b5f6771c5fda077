"""Permissions of GitHub Copilot CLI: what is allowed is run, what is denied is not."""

from __future__ import annotations

import time

import pytest
from clawtap_copilot.live import turns
from patience import until
from permission_scenarios import (
    asks_again_for_a_repeated_command,
    asks_twice_for_two_identical_calls,
    denies_a_command,
    keeps_a_prompt_while_another_call_is_drawn,
    labels,
)


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls"))
    assert (prompt["type"], prompt["toolName"]) == ("permission", "bash")
    assert prompt["toolInput"]["command"] == "touch once.txt && ls"
    assert labels(prompt)[0] == "Yes"
    assert labels(prompt)[-1] == "No, and tell Copilot what to do differently"
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered")
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()


def test_a_command_of_this_kind_is_not_asked_for_again(own):
    talk = own()
    talk.idle(90)
    prompt = talk.do(turns.shell("touch first.txt"), turns.shell("touch second.txt"))
    always = labels(prompt)[1]
    assert "don't ask again for `touch`" in always
    assert talk.approve(prompt, option=always).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "second.txt").exists()


def test_a_command_is_denied(talk):
    denies_a_command(talk, turns)


def test_the_reason_of_a_refusal_goes_into_the_field_of_the_list(talk):
    prompt = talk.do(turns.shell("touch refused.txt"))
    assert talk.deny(prompt, reason="use a temporary folder").status == 200
    assert "use a temporary folder" in str(talk.outputs())
    talk.finish()
    assert talk.log.times_said("use a temporary folder") == 0
    assert not (talk.cwd / "refused.txt").exists()


def test_a_reason_is_written_in_a_narrow_pane(own):
    talk = own(cols=60, rows=20)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch narrow.txt"))
    reason = "use a temporary folder of the user's own in place of this one"
    assert talk.deny(prompt, reason=reason).status == 200
    talk.finish()
    assert reason in str(talk.outputs())
    assert not (talk.cwd / "narrow.txt").exists()


def test_a_reason_that_is_longer_than_the_screen_is_the_next_message(talk):
    prompt = talk.do(turns.shell("touch verbose.txt"))
    reason = "use a temporary folder " * 170 + "please"
    assert talk.deny(prompt, reason=reason).status == 200
    assert talk.log.wait(lambda log: log.times_said(reason) == 1)
    talk.finish()
    assert not (talk.cwd / "verbose.txt").exists()


def test_a_command_that_is_asked_for_again_is_one_prompt_each_time(talk):
    # The CLI paints the call above its dialog a moment after that; one of before stands there.
    for _ in range(3):
        prompt = talk.do(turns.shell("date >> often.txt"), text="please date >> often.txt")
        time.sleep(2)
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        assert talk.approve(prompt).status == 200
        talk.finish()
    assert len((talk.cwd / "often.txt").read_text().splitlines()) == 3
    asks_again_for_a_repeated_command(talk, turns)


def test_a_file_is_written_and_edited(talk):
    path = talk.cwd / "new.txt"
    prompt = talk.do(turns.write(path, "one\ntwo\nthree\n"))
    # 1.0.64 asks about a new file as about an edit: its call, which comes later, tells them apart.
    talk.until(lambda _: talk.pending()[0]["toolName"] == "create")
    assert "two" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    prompt = talk.do(turns.edit(path, "two", "TWO"))
    assert prompt["toolName"] == "edit"
    assert "+   TWO" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert path.read_text() == "one\nTWO\nthree\n"


def test_a_file_outside_the_folder_is_read_only_when_allowed(talk):
    prompt = talk.do(turns.read("/etc/hostname"))
    assert (prompt["toolName"], prompt["toolInput"]) == ("path", {"path": "/etc/hostname"})
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_files_outside_the_folder_are_named_one_by_one_with_where_a_link_leads(testbed, talk):
    link = testbed.home / "elsewhere"
    link.unlink(missing_ok=True)
    link.symlink_to("/etc/hostname")
    prompt = talk.do(turns.shell(f"cat /var/log/dpkg.log {link} | wc -c"))
    paths = ["/var/log/dpkg.log", str(link), "/etc/hostname"]
    # The CLI adds where the link leads a moment later: that is the same prompt.
    until(lambda: [each["toolInput"] for each in talk.pending()] == [{"paths": paths}], 10)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_an_address_is_asked_for_before_the_command(talk):
    prompt = talk.do(turns.shell(f"curl -s {talk.model.url}/page"))
    assert prompt["toolName"] == "url"
    assert talk.model.url in prompt["toolInput"]["url"]
    assert talk.approve(prompt).status == 200
    command = talk.prompt()
    assert command["toolName"] == "bash"
    assert talk.approve(command).status == 200
    assert "Hello page" in str(talk.outputs())
    talk.finish()


def test_an_mcp_tool_is_called_when_it_is_allowed(talk):
    prompt = talk.do(turns.add(20, 22))
    assert (prompt["toolName"], prompt["toolInput"]) == ("lab-add", {"a": 20, "b": 22})
    assert talk.approve(prompt).status == 200
    assert "The sum is 42" in str(talk.outputs())
    talk.finish()


def test_two_identical_calls_at_once_are_two_prompts(talk):
    asks_twice_for_two_identical_calls(talk, turns)


def test_a_command_that_the_pane_cuts_is_whole(talk):
    lines = "\n".join(f"# line {number} of a long command" for number in range(60))
    prompt = talk.do(turns.shell(f"touch long.txt\n{lines}"))
    talk.until(lambda now: not talk.pending()[0].get("truncated"))
    (whole,) = talk.pending()
    assert whole["description"].startswith("touch long.txt")
    assert whole["toolInput"]["command"].endswith("# line 59 of a long command")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "long.txt").exists()


def subagent(command):
    task = turns.task("look around", "SUBTASK: look around")
    return (
        task,
        {**turns.shell(command), "to": "SUBTASK"},
        {"parts": [{"text": "nothing more to do"}], "to": "SUBTASK"},
    )


def test_a_subagents_command_is_allowed_and_another_refused_with_a_reason(talk):
    prompt = talk.do(*subagent("touch by-agent.txt"))
    assert prompt["toolInput"]["command"] == "touch by-agent.txt"
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "by-agent.txt").exists()
    prompt = talk.do(*subagent("rm -rf build"))
    assert talk.deny(prompt, reason="use the trash").status == 200
    talk.finish()
    assert "use the trash" in str([request.body for request in talk.log.main()])


def test_a_folder_is_trusted_once(testbed):
    with testbed.settings():
        (testbed.home / ".copilot" / "config.json").write_text("{}")
        (testbed.home / ".copilot" / "settings.json").write_text("{}")
        talk = testbed.start()
        prompt = talk.prompt(90)
        assert prompt["title"] == "Do you trust the files in this folder?"
        assert labels(prompt) == ["Yes", "Yes, and remember this folder for future sessions", "No"]
        assert talk.approve(prompt).status == 200
        talk.idle(90)
        talk.leave()


def test_a_call_that_is_drawn_above_a_prompt_is_not_its_call_answered(talk):
    keeps_a_prompt_while_another_call_is_drawn(talk, turns)


@pytest.mark.parametrize(
    "command",
    ["printf '\x1b[31mred' > hidden.txt", "true \x1b]0; touch hidden.txt #\x07"],
    ids=["colour", "title"],
)
def test_what_a_terminal_does_not_show_of_a_command_is_shown(talk, command):
    prompt = talk.do(turns.shell(command))
    until(lambda: (talk.pending()[0].get("toolInput") or {}).get("command") == command, 10)
    assert r"\x1b" in talk.pending()[0]["description"]
    assert talk.deny(prompt, reason="not this").status == 200
    talk.finish()
    assert not (talk.cwd / "hidden.txt").exists()


@pytest.mark.parametrize("answered_by", ["phone", "desk"])
def test_a_prompt_that_the_desk_scrolled_out_of_sight_stays_open(own, answered_by):
    talk = own(cols=80, rows=15)
    if talk.testbed.version == "1.0.64":
        pytest.skip("scrolls nothing")
    talk.idle(90)
    prompt = talk.do(turns.shell("touch scrolled.txt && ls"))
    talk.seat.press("PPage")
    talk.seat.see_gone("2. Yes")
    time.sleep(3)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    talk.seat.press(*["NPage"] * 3)
    talk.seat.see("2. Yes")
    if answered_by == "phone":
        assert talk.approve(prompt).status == 200
    else:
        talk.seat.press("PPage")
        talk.seat.see_gone("2. Yes")
        talk.seat.press("Enter")
        assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    assert "scrolled.txt" in str(talk.outputs())


def test_a_prompt_behind_another_tab_of_the_cli_stays_open(talk):
    if talk.testbed.version == "1.0.64":
        pytest.skip("its tabs were not tried")
    prompt = talk.do(turns.shell("touch tabbed.txt"))
    talk.seat.press("Tab")
    talk.seat.see("[Sessions]")
    time.sleep(3)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 502
    talk.seat.press("BTab")
    talk.seat.see("[Current]")
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "tabbed.txt").exists()


@pytest.mark.parametrize(
    "command",
    [
        "touch 👍🏽 skin 👩🏽‍💻 x",
        "touch 👨‍👩‍👧‍👦 👨‍👩‍👧‍👦 " + "word " * 15,
        "touch 🇩🇪 ❤️ 1️⃣ " + "word " * 16 + "👩🏽‍💻 end",
    ],
    ids=["skin", "families", "wrapped"],
)
def test_a_command_with_emoji_that_the_terminal_draws_wider_is_answered(testbed, talk, command):
    if testbed.version == "1.0.64" and "skin" in command:
        pytest.skip("leaves parts of the dialog on the screen, which hide its composer")
    prompt = talk.do(turns.shell(command))
    until(lambda: (talk.pending()[0].get("toolInput") or {}).get("command") == command, 10)
    assert labels(prompt)[-1] == "No, and tell Copilot what to do differently"
    # 1.0.64 draws its field for a reason over what stood there: the dialog reads otherwise then.
    reason = {} if testbed.version == "1.0.64" else {"reason": "not this"}
    assert talk.deny(prompt, **reason).status == 200
    if not reason:  # then the refusal stops the turn
        talk.idle()
        return
    assert "not this" in str(talk.outputs())
    talk.finish()
