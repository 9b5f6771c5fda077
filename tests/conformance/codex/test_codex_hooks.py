"""Codex with our hooks: they tell, hold nothing up, and can be taken out again."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from clawtap_codex.live import turns
from clilab.install import versions

VERSIONS = versions("0.169.0", "0.116.0")


@pytest.fixture(scope="module", params=VERSIONS)
def hooked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    from hooked_other_testbeds import HookedCodex

    testbed = HookedCodex(request.param, tmp_path_factory.mktemp(f"hooked-{request.param}"))
    yield testbed
    testbed.close()


@pytest.fixture(scope="module")
def talk(hooked) -> Iterator:
    talk = hooked.start()
    talk.idle(60)
    yield talk
    talk.leave()


def test_a_prompt_knows_its_call_and_the_session_its_conversation(hooked, talk):
    prompt = talk.do(turns.shell("touch hooked.txt"))
    talk.until(lambda now: now.get("cliSessionId"))
    if hooked.version != "0.116.0":
        talk.until(lambda now: any(each.get("toolCallId") for each in talk.pending()))
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "hooked.txt").exists()


def test_several_questions_are_answered_at_once_where_the_hook_has_all(hooked, talk):
    asked = [turns.choice(f"Which {name} is it?", "Alpha", "Beta", name=name) for name in "abc"]
    first = talk.do(turns.ask(*asked))
    if hooked.version == "0.116.0":
        pytest.skip("its hooks tell of no call")
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == len(asked))
    (whole,) = talk.pending()
    assert whole["requestId"] == first["requestId"]
    answers = {"0": "Alpha", "1": "none of these", "2": "Beta"}
    reply = talk.respond(whole, answers=answers, notes={"0": "gently"})
    assert reply.status == 200, reply
    (output,) = talk.outputs()
    reported = {name: each["answers"] for name, each in json.loads(output)["answers"].items()}
    assert reported == {
        "a": ["Alpha", "user_note: gently"],
        "b": ["None of the above", "user_note: none of these"],
        "c": ["Beta"],
    }
    talk.finish()


def test_without_the_server_the_cli_goes_on_as_if_there_were_no_hooks(hooked):
    from codex_testbed import READY
    from hooked_testbed import unserved

    cwd = hooked.project()
    with unserved(hooked, hooked.hooks_file) as desk:
        seat = desk.open(("codex", *hooked.words), cwd, hooked.env)
        seat.see(READY, seconds=60)
        hooked.model.play(turns.shell("touch alone.txt"), "the end")
        seat.say("please work alone")
        seat.see("touch alone.txt", "Yes, proceed")
        seat.press("y")
        seat.see("the end")
        assert "failed" not in seat.text().lower()
        assert (cwd / "alone.txt").exists()


def test_uninstall_leaves_what_the_cli_wrote_and_nothing_of_ours(hooked, talk):
    from hooked_testbed import hooks

    talk.leave()
    hooks(hooked, "uninstall", "--adapter", "codex")
    assert not hooked.hooks_file.exists()
    text = hooked.config_file.read_text()
    assert "codex_hooks" not in text
    assert 'model_provider = "lab"' in text
