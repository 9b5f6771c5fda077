"""The Gemini CLI with our hooks: they tell, hold nothing up, and leave no trace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clawtap_gemini.live import turns
from clilab.install import versions

VERSIONS = versions("0.61.0", "0.34.0")


@pytest.fixture(scope="module", params=VERSIONS)
def hooked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    from hooked_other_testbeds import HookedGemini

    testbed = HookedGemini(request.param, tmp_path_factory.mktemp(f"hooked-{request.param}"))
    yield testbed
    testbed.close()


@pytest.fixture(scope="module")
def talk(hooked) -> Iterator:
    talk = hooked.start()
    talk.idle(60)
    yield talk
    talk.leave()


def test_the_session_knows_its_conversation(talk):
    talk.until(lambda now: now.get("cliSessionId"))


def test_a_command_is_known_whole_and_answered_by_keys(talk):
    lines = "\n".join(["touch whole.txt", *(f"echo line{at} >> whole.txt" for at in range(50))])
    prompt = talk.do(turns.shell(lines))
    talk.until(lambda now: any(each.get("toolInput") for each in talk.pending()))
    (found,) = talk.pending()
    assert found["requestId"] == prompt["requestId"]
    assert found["toolInput"]["command"] == lines
    assert "line0" in found["description"]
    assert "line49" in found["description"]
    assert talk.approve(found).status == 200
    talk.outputs()
    talk.finish()
    assert "line49" in (talk.cwd / "whole.txt").read_text()


def test_a_question_knows_its_call(talk):
    prompt = talk.do(turns.ask(turns.choice("Which one?", "A", "B")))
    assert talk.answer(prompt, {"0": "B"}).status == 200
    assert "B" in str(talk.outputs())
    talk.finish()


def test_several_questions_are_one_prompt_and_answered_at_once(hooked, talk):
    if hooked.version == "0.34.0":
        pytest.skip("its hook tells of a call when that was answered")
    asked = (
        turns.choice("Which database?", "PostgreSQL", "SQLite", header="Database"),
        turns.choice("Which features?", "Login", "Search", header="Features", multi=True),
        turns.text("Which name?", header="Name"),
    )
    prompt = talk.do(turns.ask(*asked))
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == len(asked))
    (whole,) = talk.pending()
    assert whole["requestId"] == prompt["requestId"]
    reply = talk.answer(whole, {"0": "SQLite", "1": ["Login", "Search"], "2": "Atlas"})
    assert reply.status == 200, reply
    output = str(talk.outputs())
    assert all(words in output for words in ("SQLite", "Login, Search", "Atlas"))
    talk.finish()


def test_no_hook_is_shown_to_have_failed(talk):
    talk.seat.see_gone("Executing Hook")
    assert "Hook(s)" not in talk.seat.text()


def test_without_the_server_the_cli_goes_on_as_if_there_were_no_hooks(hooked):
    from hooked_testbed import unserved

    cwd = hooked.project()
    with unserved(hooked, hooked.settings_file) as desk:
        seat = desk.open(("gemini",), cwd, hooked.env)
        seat.see("Type your message", seconds=60)
        hooked.model.play(turns.shell("touch alone.txt"), "the end")
        seat.say("please work alone")
        seat.see("touch alone.txt", "Allow once")
        seat.press("Enter")
        seat.see("the end")
        seat.see_gone("Executing Hook")
        assert "hook(s)" not in seat.text().lower()
        assert (cwd / "alone.txt").exists()


def test_uninstall_gives_back_the_settings(hooked, talk):
    from hooked_testbed import hooks

    assert hooked.settings_file.read_bytes() != hooked.before
    hooks(hooked, "uninstall", "--adapter", "gemini")
    assert hooked.settings_file.read_bytes() == hooked.before
