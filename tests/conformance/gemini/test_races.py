"""Several who answer, a server that dies, a pane that changes its size."""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from clawtap_gemini.live import turns
from clilab import slow_terminal

from clawtap_core.testing.scripted.request_log import PATIENCE


def test_an_answer_at_the_desk_is_reported_and_a_late_one_types_nothing(talk):
    prompt = talk.do(turns.shell("touch desk.txt"))
    talk.seat.press("1")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    late = talk.approve(prompt)
    assert late.status == 409, late
    talk.outputs()
    talk.finish()
    talk.seat.see("Type your message")


def test_a_refusal_at_the_desk_is_reported_too(talk):
    prompt = talk.do(turns.shell("touch desk-no.txt"))
    talk.seat.press("Escape")
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    talk.idle()
    assert not (talk.cwd / "desk-no.txt").exists()


def test_of_two_devices_at_once_one_wins(talk):
    prompt = talk.do(turns.shell("date >> devices.txt"))
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: talk.approve(prompt), range(4)))
    assert sorted(reply.status for reply in replies) == [200, 409, 409, 409]
    talk.outputs()
    talk.finish()
    assert len((talk.cwd / "devices.txt").read_text().splitlines()) == 1


def test_a_second_answer_says_who_was_first(talk):
    prompt = talk.do(turns.shell("touch second.txt"))
    assert talk.approve(prompt).status == 200
    second = talk.deny(prompt)
    assert second.status == 409
    assert second.body["details"]
    talk.finish()


def standing(talk, name):
    """The prompt that waits and names this file, once it stands still.

    The CLI paints the beginning of a long diff first, and then its end.
    """
    end, last, since = time.monotonic() + PATIENCE, None, 0.0
    while time.monotonic() < end:
        prompts = [each for each in talk.pending() if name in str(each)]
        if prompts != last:
            last, since = prompts, time.monotonic()
        elif prompts and time.monotonic() - since > 0.7:
            return prompts[0]
        time.sleep(0.05)
    raise AssertionError(f"no prompt for {name} stands: {last}")


@pytest.mark.parametrize("desk", ["1", "Escape"])
def test_of_two_long_edits_the_second_is_not_the_first(own, desk):
    """The first is answered at the desk within two seconds; little of either fits on the screen."""
    talk = own()
    talk.idle(60)
    old = [f"line {number} of the file\n" for number in range(150)]
    new = [line.replace("line", "LINE") for line in old]
    paths = [talk.cwd / name for name in ("first.txt", "second.txt")]
    for path in paths:
        path.write_text("".join(old))
    calls = [turns.edit(path, "".join(old), "".join(new))["parts"][0] for path in paths]
    talk.do(turns.turn(*calls))
    first = standing(talk, "first.txt")
    talk.seat.press(desk)
    head = "Type your message" if desk == "Escape" else r"\? +\w+ +\S*second\.txt"
    talk.seat.until(lambda screen: bool(re.search(head, screen)), head)
    stale = talk.approve(first)
    assert stale.status == 409, stale
    if desk == "Escape":  # the CLI drops the other call, too
        talk.idle()
    else:
        second = standing(talk, "second.txt")
        assert second["requestId"] != first["requestId"]
        assert paths[1].read_text() == "".join(old)
        late = talk.approve(first)
        assert late.status == 409, late
        assert talk.approve(second).status == 200
        talk.outputs(2)
        talk.finish()
    changed = [path.read_text() == "".join(new) for path in paths]
    assert changed == [desk == "1", desk == "1"]
    assert talk.resolved(first)["state"] == "answered_elsewhere"


def test_long_commands_that_are_painted_in_pieces_are_one_prompt_each(testbed, tmp_path):
    """On a slow line a frame comes in two pieces, and nothing but the screen is known."""
    cwd = testbed.project()
    slow = slow_terminal.install(tmp_path / "slow", "gemini", 2, 0.35)
    env = {**testbed.env, "PATH": f"{slow}{os.pathsep}{testbed.env['PATH']}"}
    seat = testbed.desk.open(("gemini",), cwd, env)
    seat.see("Type your message", seconds=60)
    talk = testbed.adopt(seat.pane, cwd)
    talk.idle(60)
    rows = [f"echo this is row {number} of the command" for number in range(70)]
    commands = ["\n".join([*rows, f"touch {name}.txt"]) for name in ("one", "two")]
    first = talk.do(turns.parallel(commands))
    for prompt, name in ((first, "one"), (None, "two")):
        prompt = prompt or talk.prompt()
        # Whatever comes of the frame's other pieces must be the same prompt.
        with pytest.raises(AssertionError, match="no approval_required"):
            talk.prompt(seconds=3.0)
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        reply = talk.approve(prompt)
        assert (reply.status, reply.body["state"]) == (200, "answered"), reply
        if name == "one":
            assert not (cwd / "two.txt").exists()
    assert len(talk.outputs(2)) == 2
    talk.finish()
    assert (cwd / "one.txt").exists()
    assert (cwd / "two.txt").exists()
    talk.leave()
    seat.close()


def test_a_resized_pane_still_shows_one_prompt(talk):
    prompt = talk.do(turns.shell("touch resized.txt"))
    for cols, rows in ((80, 24), (140, 45), (120, 40)):
        talk.seat.resize(cols, rows)
        # The CLI redraws; whatever comes of it within this time must be the same prompt.
        with pytest.raises(AssertionError, match="no approval_required"):
            talk.prompt(seconds=1.0)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()


def test_a_prompt_outlives_a_killed_server_with_its_id(talk):
    prompt = talk.do(turns.shell("touch killed.txt"))
    talk.testbed.served.kill()
    talk.events.close()
    talk.testbed.served.start()
    talk.listen()
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "killed.txt").exists()


def test_a_prompt_answered_while_the_server_was_down_was_answered_elsewhere(talk):
    prompt = talk.do(turns.shell("touch down.txt"))
    talk.testbed.served.kill()
    talk.events.close()
    talk.seat.press("1")
    talk.seat.see(talk.end)
    talk.testbed.served.start()
    talk.listen()
    asked = f"/api/prompts/{prompt['requestId']}"
    talk.until(lambda _: talk.testbed.client.get(asked).body["state"] == "answered_elsewhere")
    talk.idle()


def test_the_stream_goes_on_where_it_was_left(talk):
    first = talk.do(turns.shell("touch replay.txt"))
    last = next(event.id for event in reversed(talk.events.seen) if event.id)
    talk.events.close()
    assert talk.approve(first).status == 200
    talk.events = talk.testbed.client.events(f"{talk.path}/events", after=last)
    assert talk.resolved(first)["state"] == "answered"
    assert "snapshot" not in [event.type for event in talk.events.seen]
    talk.finish()
