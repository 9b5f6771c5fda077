"""The callback for the Claude Agent SDK, over both transports (checklist 001-14 to 001-29)."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest
from clawtap_claude.sdk import can_use_tool
from fake_terminal import until
from threads import in_thread

from clawtap_core import Kind, Response
from clawtap_core.errors import Unavailable

QUESTIONS = {
    "questions": [
        {
            "question": "Which colour?",
            "header": "Colour",
            "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}],
            "multiSelect": False,
        },
        {"question": "Which checks?", "options": [{"label": "A"}, {"label": "B"}],
         "multiSelect": True},
    ],
    "metadata": {"kept": True},
}  # fmt: skip
CALL = SimpleNamespace(tool_use_id="toolu_1", suggestions=[], agent_id=None)


def run(tap, tool, given, answer=None, context=CALL, **more):
    """What the SDK gets; `answer` is given the prompt as soon as it waits."""

    def person():
        answer(until(lambda: next(iter(tap.pending()), None)))

    at_the_page = threading.Thread(target=person if answer else lambda: None)
    at_the_page.start()
    found = in_thread(asyncio.run, can_use_tool(tap, **more)(tool, given, context))
    at_the_page.join(20)
    return found


def choose(tap, option, **more):
    return lambda prompt: tap.respond(
        prompt.session_id, Response(prompt.request_id, option, **more)
    )


def test_a_question_is_answered_by_its_text(tap):
    seen = []

    def answer(prompt):
        seen.append(prompt)
        tap.submit_answers(prompt.session_id, "toolu_1", {"0": "Blue", "1": ["A", "my own"]})

    found = run(tap, "AskUserQuestion", QUESTIONS, answer)
    answers = {"Which colour?": "Blue", "Which checks?": "A, my own"}
    assert (found.behavior, found.updated_input) == ("allow", {**QUESTIONS, "answers": answers})
    assert (seen[0].form.kind, seen[0].form.tool_name) == (Kind.QUESTION, "AskUserQuestion")
    assert seen[0].form.questions[0].header == "Colour"
    assert all(question.other for question in seen[0].form.questions)


def test_a_tool_is_approved_with_its_input(tap):
    found = run(tap, "Bash", {"command": "ls"}, choose(tap, "allow"))
    assert (found.behavior, found.updated_input) == ("allow", {"command": "ls"})
    assert found.updated_permissions is None


def test_a_tool_is_denied(tap):
    found = run(tap, "Bash", {}, choose(tap, "deny"))
    assert (found.behavior, found.message) == ("deny", "User denied tool execution")


def test_a_reason_is_the_message(tap):
    found = run(tap, "Bash", {}, choose(tap, "deny", reason="use make"))
    assert (found.behavior, found.message) == ("deny", "use make")


def test_what_the_cli_suggests_can_be_allowed_for_good(tap):
    rules = [object()]
    context = SimpleNamespace(
        tool_use_id=None, suggestions=rules, title="Claude wants to run ls",
        description="lists\nfiles", decision_reason="not in the rules", agent_id="agent-7",
    )  # fmt: skip
    seen = []

    def answer(prompt):
        seen.append(prompt.form)
        choose(tap, "allow-always")(prompt)

    found = run(tap, "Bash", {"command": "ls"}, answer, context)
    assert (found.behavior, found.updated_permissions) == ("allow", rules)
    shown = (seen[0].title, seen[0].description, seen[0].origin)
    assert shown == ("Claude wants to run ls", "lists files\nnot in the rules", "agent-7")


@pytest.mark.parametrize("mode", ["acceptEdits", "plan", "bypassPermissions", lambda: "auto"])
def test_in_other_modes_tools_are_allowed_at_once(tap, mode):
    found = run(tap, "Bash", {"command": "ls"}, mode=mode)
    assert (found.behavior, found.updated_input) == ("allow", {"command": "ls"})
    assert list(tap.sessions()) == []


def test_in_other_modes_questions_are_asked_all_the_same(tap):
    found = run(tap, "AskUserQuestion", QUESTIONS, choose(tap, "decline"), mode="plan")
    assert found.behavior == "deny"


@pytest.mark.parametrize(
    ("tool", "given", "message"),
    [
        ("Bash", {}, "Tool approval timed out after"),
        ("AskUserQuestion", QUESTIONS, "User did not respond within"),
    ],
)
def test_what_nobody_answers_is_denied_with_the_seeds_message(tap, tool, given, message):
    found = run(tap, tool, given, seconds=0.05)
    assert found.behavior == "deny"
    assert found.message.startswith(message)


def test_what_is_taken_back_on_the_page_is_cancelled(tap):
    found = run(tap, "Bash", {}, lambda prompt: tap.end(prompt.session_id))
    assert (found.behavior, found.message) == ("deny", "Cancelled")


def test_what_cannot_be_asked_is_denied_and_said(tap):
    found = run(tap, "Bash", {"command": "x" * 300_000})
    assert found.behavior == "deny"
    assert "toolInput is longer" in found.message


def test_a_server_that_is_not_there_allows_nothing():
    class Away:
        def ask(self, form, **more):
            raise Unavailable("no answer from the server")

    found = in_thread(asyncio.run, can_use_tool(Away())("Bash", {}, CALL))
    assert (found.behavior, found.message) == ("deny", "no answer from the server")


def test_a_call_that_the_agent_gives_up_is_taken_back(tap):
    async def give_up():
        asking = asyncio.ensure_future(can_use_tool(tap)("Bash", {}, CALL))
        while not await asyncio.to_thread(tap.pending):
            await asyncio.sleep(0.01)
        (prompt,) = await asyncio.to_thread(tap.pending)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return prompt.request_id

    assert tap.prompt(in_thread(asyncio.run, give_up())).state.value == "cancelled"


def test_many_calls_wait_at_once(tap):
    async def all_of_them():
        ask = can_use_tool(tap, asker="crew")
        calls = [asyncio.ensure_future(ask("Bash", {"n": n})) for n in range(40)]
        while len(waits := await asyncio.to_thread(tap.pending)) < 40:
            await asyncio.sleep(0.01)
        for prompt in waits:
            await asyncio.to_thread(choose(tap, "allow"), prompt)
        return await asyncio.gather(*calls)

    found = in_thread(asyncio.run, all_of_them())
    assert [one.updated_input["n"] for one in found] == list(range(40))
    assert [session.title for session in tap.sessions()] == ["crew"]
