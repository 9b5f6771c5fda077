"""A side conversation that the desk opened: 0.169 shows it beside the main one in a wide pane."""

from __future__ import annotations

import pytest
from clawtap_codex.live import turns
from clilab.install import versions


@pytest.fixture(scope="module", params=versions("0.171.0", "0.169.0"))
def testbed(request, tmp_path_factory):
    from codex_testbed import CodexTestbed

    testbed = CodexTestbed(request.param, tmp_path_factory.mktemp("side"))
    yield testbed
    testbed.close()


def test_a_command_of_a_side_conversation_is_approved(own):
    talk = own()
    talk.idle(90)
    talk.play()
    talk.say("begin")
    talk.finish()
    talk.play(turns.shell("touch aside.txt && ls"))
    talk.seat.say("/side do it")
    prompt = talk.prompt()
    assert prompt["type"] == "permission", prompt
    assert prompt["description"].splitlines()[-1] == "$ touch aside.txt && ls"
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.seat.see(talk.end)
    assert (talk.cwd / "aside.txt").exists()


def test_the_main_conversation_beside_it_is_answered_and_gets_a_message(own):
    talk = own()
    talk.idle(90)
    talk.play({**turns.shell("touch main.txt && ls"), "hold": True}, "an answer aside")
    talk.say("do it")
    talk.state("busy")
    talk.seat.see("do it", "Working")
    talk.seat.say("/side and this")
    talk.seat.see("an answer aside")
    talk.model.release()
    talk.seat.press("C-/")
    talk.seat.see("$ touch main.txt")
    talk.until(lambda _: [prompt["type"] for prompt in talk.pending()] == ["permission"])
    (prompt,) = talk.pending()
    assert talk.deny(prompt, reason="rather not").status == 200
    talk.idle(40)
    assert not (talk.cwd / "main.txt").exists()
    assert talk.log.times_said("rather not") == 1
    talk.play()
    said = talk.say("a message to the main one")
    talk.finish()
    assert talk.log.times_said(said) == 1
