"""Codex with our hooks: they tell, hold nothing up, and can be taken out again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from clawtap_codex.live import turns
from clilab.install import versions
from conversation_scenarios import spoken, until_said

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


def test_a_rule_allows_nothing_in_the_folder_that_the_desk_moved_to(hooked):
    if hooked.version == "0.116.0":
        pytest.skip("has no /cd")
    talk = hooked.start()
    talk.idle(60)
    where = {"adapter": "codex", "folder": str(talk.cwd), "tool": "exec_command"}
    rule = {"name": "touches", "decision": "allow", "commands": ["touch ..."], **where}
    rules = {"rules": [{**rule, "expires": "2099-01-01"}]}
    assert hooked.client.post("/api/rules", rules).status == 201
    try:
        talk.play(turns.shell("touch by-rule.txt"))
        talk.say()
        talk.finish()
        assert (talk.cwd / "by-rule.txt").exists()
        other = hooked.project()
        talk.seat.say(f"/cd {other}")
        talk.seat.see("Working directory changed to")
        talk.idle()
        prompt = talk.do(turns.shell("touch asked.txt"))
        talk.until(lambda now: now["cwd"] == str(other))
        assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
        assert talk.approve(prompt).status == 200
        talk.finish()
        assert (other / "asked.txt").exists()
    finally:
        hooked.client.delete("/api/rules/touches")
        talk.leave()


@pytest.mark.parametrize("command", ["/new", "/fork", "/clear"])
def test_another_conversation_at_the_desk_is_followed(hooked, command):
    talk = hooked.start()
    talk.idle(60)
    talk.play()
    talk.say("remember the milk")
    talk.finish()
    until_said(talk, "remember the milk")
    before = talk.get().body["cliSessionId"]
    talk.seat.say(command)
    if command != "/clear" and hooked.version != "0.116.0":
        where = talk.prompt()
        assert talk.respond(where, selectedOption=where["options"][0]["value"]).status == 200
    time.sleep(2)
    talk.idle()
    prompt = talk.do(turns.shell("touch anew.txt"), text="and something else")
    assert talk.approve(prompt).status == 200
    talk.finish()
    said = [text for who, text in spoken(until_said(talk, "and something else")) if who == "user"]
    assert said == [*["remember the milk"] * (command == "/fork"), "and something else"]
    assert talk.get().body["cliSessionId"] != before
    talk.leave()
