"""Permissions: what is allowed is run, what is denied is not, and the model hears of it."""

from __future__ import annotations

import time

from clawtap_gemini.live import turns
from permission_scenarios import (
    asks_again_for_a_repeated_command,
    labels,
    makes_an_edit,
    sends_no_reason_as_a_command,
    sends_the_reason_as_the_next_message,
    sends_the_reason_of_an_approval_as_the_next_message,
    writes_a_file,
)

ONCE = "Allow once"
SESSION = "Allow for this session"


def test_a_command_is_allowed_once(talk):
    prompt = talk.do(turns.shell("touch once.txt && ls -la"))
    assert (prompt["type"], prompt["state"]) == ("permission", "pending")
    assert prompt["toolName"] == "run_shell_command"
    assert "touch once.txt && ls -la" in str(prompt["toolInput"])
    assert labels(prompt)[:2] == [ONCE, SESSION]
    reply = talk.approve(prompt)
    assert (reply.status, reply.body["ok"], reply.body["state"]) == (200, True, "answered")
    assert "once.txt" in str(talk.outputs())
    assert (talk.cwd / "once.txt").exists()
    talk.finish()
    assert talk.resolved(prompt)["resolution"]["outcome"] == "answered"


def test_a_command_is_allowed_for_the_session_and_not_asked_again(talk):
    prompt = talk.do(turns.shell("mkdir first"), turns.shell("mkdir second"))
    reply = talk.approve(prompt, option=SESSION)
    assert reply.status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "second").is_dir()
    assert talk.pending() == []


def test_a_short_script_is_read_as_it_is(talk):
    # The CLI also shows it on the line of the tool, above its box.
    script = "touch lines.txt\n\nls lines.txt"
    prompt = talk.do(turns.shell(script))
    assert prompt["toolInput"] == {"command": script}
    assert "─" not in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "lines.txt").exists()


def test_a_command_that_a_low_pane_cuts_is_never_shown_as_if_it_were_whole(own):
    talk = own(cols=60, rows=15)
    talk.idle(60)
    words = "a rather long command that wraps in a pane of sixty columns, twice at least, I am sure"
    prompt = talk.do(turns.shell(f"touch low.txt && echo {words}"))
    whole = f"touch low.txt && echo {words}"
    assert prompt.get("truncated") or prompt["toolInput"]["command"] == whole, prompt
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "low.txt").exists()


def test_a_prompt_whose_command_a_low_pane_hides_is_still_the_same(own):
    talk = own(cols=100)
    talk.idle(60)
    prompt = talk.do(turns.shell("touch hidden.txt && ls"))
    talk.seat.resize(100, 12)
    talk.seat.until(lambda screen: len(screen.splitlines()) <= 12 and "1. Allow once" in screen)
    time.sleep(4)  # a new prompt would be announced by now
    (shown,) = talk.pending()
    assert shown["requestId"] == prompt["requestId"]
    assert "─" not in shown["description"]
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / "hidden.txt").exists()


def test_a_command_is_denied(talk):
    prompt = talk.do(turns.shell("touch denied.txt"))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.idle()
    assert not (talk.cwd / "denied.txt").exists()
    assert "output" not in str(talk.log.function_responses())


def test_the_reason_of_a_refusal_is_the_next_message(talk):
    sends_the_reason_as_the_next_message(talk, turns)


def test_the_reason_of_an_approval_is_the_next_message(talk):
    sends_the_reason_of_an_approval_as_the_next_message(talk, turns)


def test_a_reason_that_reads_like_a_command_is_words(talk):
    sends_no_reason_as_a_command(talk, turns)


def test_an_edit_shows_its_diff_and_is_made(talk):
    description = makes_an_edit(talk, turns, "replace", reads=False)
    assert "two" in description
    assert "TWO" in description


def test_an_edit_is_denied(talk):
    path = talk.cwd / "kept.txt"
    path.write_text("one\n")
    prompt = talk.do(turns.edit(path, "one", "ONE"))
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert path.read_text() == "one\n"


def test_a_file_is_written(talk):
    writes_a_file(talk, turns, "write_file")


def test_a_tool_of_an_mcp_server_is_allowed(talk):
    prompt = talk.do(turns.mcp("greet", name="Ann"))
    assert prompt["toolName"] == "mcp_lab_greet"
    assert "Allow all server tools for this session" in labels(prompt)
    assert talk.approve(prompt).status == 200
    assert "Hello Ann" in str(talk.outputs())
    talk.finish()


def test_a_tool_of_an_mcp_server_is_denied_then_allowed_for_the_session(talk):
    prompt = talk.do(turns.mcp("add", a=1, b=2))
    assert talk.deny(prompt).status == 200
    talk.idle()
    prompt = talk.do(turns.mcp("add", a=1, b=2), turns.mcp("add", a=3, b=4))
    assert talk.approve(prompt, option="Allow tool for this session").status == 200
    talk.finish()
    first, second = talk.outputs(2)
    assert ("sum is 3" in str(first), "sum is 7" in str(second)) == (True, True)


def test_a_page_may_be_fetched(talk):
    prompt = talk.do(turns.fetch(talk.model.url + "/page"))
    assert prompt["toolName"] == "web_fetch"
    assert "/page" in prompt["description"]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_calls_in_parallel_are_one_prompt_after_the_other(talk):
    first = talk.do(turns.parallel(["touch left.txt", "chmod 600 left.txt"]))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert "chmod" in str(second["toolInput"])
    assert talk.approve(second).status == 200
    assert len(talk.outputs(2)) == 2
    talk.finish()


def test_a_command_that_a_low_pane_has_no_room_for_is_marked_as_cut(own):
    talk = own(cols=80, rows=12)
    talk.idle(60)
    echoes = "\n".join(f"echo line {number} of it" for number in range(30))
    prompt = talk.do(turns.shell(f"touch low.txt\n{echoes}"))
    # 0.34.0 paints its options above the pane.
    assert prompt["type"] == "unknown" or prompt["truncated"], (prompt, talk.seat.text())
    assert "toolInput" not in prompt
    if prompt["type"] != "unknown":
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        assert (talk.cwd / "low.txt").exists()


def test_two_identical_prompts_in_a_row_are_two(talk):
    first, second = asks_again_for_a_repeated_command(talk, turns)
    assert second["toolInput"] == first["toolInput"]


def test_two_identical_calls_at_once_are_two_prompts(talk):
    # At load 0.34.0 crashes (EBADF) if a command ends before it gave its terminal a size.
    first = talk.do(turns.parallel(["date >> same.txt && sleep 1"] * 2))
    assert talk.approve(first).status == 200
    second = talk.prompt()
    assert second["requestId"] != first["requestId"]
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()


def test_an_option_that_is_not_offered_types_nothing(talk):
    prompt = talk.do(turns.shell("touch wrong.txt"))
    reply = talk.approve(prompt, option="Allow for ever")
    assert reply.status in (400, 422), reply
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert not (talk.cwd / "wrong.txt").exists()
    assert talk.deny(prompt).status == 200
    talk.idle()


def test_an_edit_allowed_for_the_session_turns_to_accepting_edits(own):
    talk = own()
    talk.idle(60)
    prompt = talk.do(turns.write(talk.cwd / "a.txt", "a\n"), turns.write(talk.cwd / "b.txt", "b\n"))
    assert talk.approve(prompt, option=SESSION).status == 200
    talk.outputs(2)
    talk.finish()
    assert (talk.cwd / "b.txt").read_text() == "b\n"
    talk.until(lambda now: now["mode"] == "auto_edit")
