"""`clawtap ask` and `clawtap mcp`: a person answers a shell, and an agent."""

from __future__ import annotations

import json
import os
import threading

import pytest
from click.testing import CliRunner
from fake_terminal import until

from clawtap_core.cli.app import cli
from clawtap_core.cli.durations import as_seconds
from clawtap_core.client.mcp import McpServer
from clawtap_core.errors import Unavailable
from clawtap_core.model import Response


@pytest.fixture
def shell(tap, isolated_home, monkeypatch):
    """Run `clawtap`; `answer` is given the prompt that waits."""
    monkeypatch.setenv("CLAWTAP_TOKEN", "secret")

    def run(*arguments, answer=None, stdin=None):
        def person():
            answer(until(lambda: next(iter(tap.pending()), None)))

        at_the_page = threading.Thread(target=person if answer else lambda: None)
        at_the_page.start()
        env = {"CLAWTAP_URL": "http://fake"}
        done = CliRunner().invoke(cli, arguments, input=stdin, env=env, obj=lambda *_: tap)
        at_the_page.join(60)
        return done.exit_code, done.stdout, done.stderr

    return run


def approve(tap):
    return lambda prompt: tap.approve(prompt.session_id, prompt.request_id)


def say(tap, *labels):
    answer = labels[0] if len(labels) == 1 else labels
    return lambda prompt: tap.submit_answers(prompt.session_id, prompt.request_id, {"0": answer})


def test_an_approval_is_an_exit_code(shell, tap):
    assert shell("ask", "Deploy?", answer=approve(tap)) == (0, "Approve\n", "")


def test_a_refusal_is_none_and_says_why(shell, tap):
    def refuse(prompt):
        tap.deny(prompt.session_id, prompt.request_id, reason="not today")

    assert shell("ask", "Deploy?", answer=refuse) == (1, "", "The user refused: not today\n")


def test_options_are_printed_by_their_labels(shell, tap):
    colours = ("-o", "Blue", "-o", "Deep red")
    assert shell("ask", "Colour?", *colours, answer=say(tap, "Deep red"))[:2] == (0, "Deep red\n")
    several = shell("ask", "C?", *colours, "--multiple", answer=say(tap, "Blue", "Deep red"))
    assert several[:2] == (0, "Blue\nDeep red\n")
    assert shell("ask", "C?", *colours, "--text", answer=say(tap, "Teal"))[:2] == (0, "Teal\n")


def test_a_secret_is_printed_and_kept_nowhere(shell, tap):
    # Words, since numbers stand by chance in the ids and times of a journal.
    assert shell("ask", "Code?", "--secret", answer=say(tap, "sesame"))[:2] == (0, "sesame\n")
    status, reply, _ = shell("ask", "Code?", "--secret", "--json", answer=say(tap, "barley"))
    assert (status, json.loads(reply)["resolution"]["response"]["answers"]) == (0, {"0": "barley"})
    journal = str([event.data for event in tap.journal().events])
    assert "sesame" not in journal
    assert "barley" not in journal


def test_details_come_from_stdin_and_the_asker_has_a_name(shell, tap):
    seen = []

    def look(prompt):
        seen.append((prompt.form.description, tap.session(prompt.session_id).title))
        approve(tap)(prompt)

    shell("ask", "Commit?", "--details", "-", "--from", "git", stdin="+ a\n", answer=look)
    assert seen == [("+ a\n", "git")]


def test_a_default_is_printed_and_said_to_be_one(shell):
    colours = ("-o", "Blue", "-o", "Deep red")
    words = "nobody answered within 0 seconds: this is the default answer\n"
    after = ("--after", "0.05s")
    assert shell("ask", "Deploy?", "--default", "yes", *after) == (0, "Approve\n", words)
    assert shell("ask", "C?", *colours, "--default", "deep red", *after) == (0, "Deep red\n", words)
    status, answer, error = shell("ask", "Deploy?", "--default", "no", *after)
    assert (status, answer, error) == (1, "", f"{words}The default refused.\n")
    status, answer, _ = shell("ask", "Deploy?", "--default", "yes", *after, "--json")
    assert json.loads(answer)["resolution"]["by"] == "default"


def test_a_question_outlives_a_restart_of_the_server(shell, tap, monkeypatch):
    gone, wait = [1, 2], type(tap).wait

    def wait_unless_gone(*what, **more):
        if gone:
            gone.pop()
            raise Unavailable("no answer")
        return wait(*what, **more)

    monkeypatch.setattr(type(tap), "wait", wait_unless_gone)
    assert shell("ask", "Deploy?", answer=approve(tap)) == (0, "Approve\n", "")
    assert gone == []


def test_a_person_answers_before_the_default(shell, tap):
    advice = ("ask", "Deploy?", "--default", "no", "--after", "10m")
    assert shell(*advice, answer=approve(tap)) == (0, "Approve\n", "")


def test_an_empty_question_is_refused_in_its_own_words(shell):
    status, _, sentence = shell("ask", " ")
    assert (status, sentence) == (2, "error: the question is empty (usage)\n")


@pytest.mark.parametrize(
    ("flags", "status", "sentence"),
    [
        (("--default", "yes"), 2, "--default and --after go together"),
        (("--after", "10m"), 2, "--default and --after go together"),
        (("--default", "yes", "--after", "1m", "--timeout", "9"), 2, "--after or --timeout"),
        (("--default", "perhaps", "--after", "10m"), 1, "'perhaps' is not offered (offered: App"),
        (("--default", "yes", "--after", "soon"), 2, "'soon' is not a duration; write it as 90s"),
        (("--default", "yes", "--after", "0"), 2, "'0' is not a duration"),
        (("--default", "yes", "--after", ""), 2, "'' is not a duration"),
        (("--default", "yes", "--after", "-5m"), 2, "'-5m' is not a duration"),
    ],
)
def test_a_default_that_makes_no_sense_is_refused(shell, tap, flags, status, sentence):
    code, reported, error = shell("ask", "Deploy?", *flags)
    assert (code, reported) == (status, "")
    assert sentence in error
    assert list(tap.pending()) == []


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("1.5h", 5400), (" 2D ", 172800)],
)
def test_a_duration_is_read_as_people_write_it(text, seconds):
    assert as_seconds(None, None, text) == seconds


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1"])
def test_a_timeout_that_never_comes_is_refused(shell, tap, seconds):
    status, _, error = shell("ask", "Deploy?", "--timeout", seconds)
    assert (status, list(tap.pending())) == (2, [])
    assert "Invalid value for '--timeout'" in error
    assert shell("wait", "s1", "--timeout", seconds)[0] == 2


def test_what_nobody_answers_fails(shell):
    status, reported, error = shell("ask", "Deploy?", "--timeout", "0.05")
    assert (status, reported) == (1, "")
    assert "(prompt_expired)" in error


@pytest.fixture
def agent(tap):
    """An MCP client: what it sends and what it gets, a line each."""
    down, up = os.pipe(), os.pipe()
    lines, out = os.fdopen(down[0]), os.fdopen(up[1], "w")
    server = McpServer(tap, out, asker="an agent")
    thread = threading.Thread(target=server.run, args=(lines,))
    thread.start()
    client = Client(os.fdopen(down[1], "w"), os.fdopen(up[0]))
    yield client
    client.close()
    thread.join(60)
    assert not thread.is_alive()
    # Its calls ask the server, which must not end before them.
    until(lambda: not any("(_ask)" in each.name for each in threading.enumerate()))
    for end in (lines, out, client.received):
        end.close()


class Client:
    def __init__(self, say, received):
        self.say, self.received = say, received

    def send(self, **message):
        self.line(json.dumps({"jsonrpc": "2.0", **message}))

    def line(self, text):
        self.say.write(text + "\n")
        self.say.flush()

    def hear(self):
        return json.loads(self.received.readline())

    def call(self, call, meta=None, **arguments):
        params = {"name": "ask_human", "arguments": arguments, **({"_meta": meta} if meta else {})}
        self.send(id=call, method="tools/call", params=params)

    def close(self):
        if not self.say.closed:
            self.say.close()


def waiting(tap, count=1):
    return until(lambda: tap.pending() if len(tap.pending()) == count else None)


def test_an_agent_learns_of_the_tool(agent):
    asked = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {}}
    agent.send(id=0, method="initialize", params=asked)
    reported = agent.hear()["result"]
    assert (reported["protocolVersion"], reported["serverInfo"]["name"]) == (
        "2024-11-05",
        "clawtap",
    )
    agent.send(method="notifications/initialized")
    agent.send(id="a", method="tools/list")
    (tool,) = agent.hear()["result"]["tools"]
    assert (tool["name"], tool["inputSchema"]["required"]) == ("ask_human", ["question"])
    agent.send(id=2, method="ping")
    assert agent.hear() == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_an_agent_gets_a_persons_answers_in_any_order(agent, tap):
    agent.call(1, question="Colour?", options=["Red", "Blue"], details="of the page")
    agent.call(2, question="Checks?", options=["A", "B"], multiple=True)
    first, second = sorted(waiting(tap, 2), key=lambda prompt: prompt.form.title, reverse=True)
    assert tap.session(first.session_id).title == "an agent"
    reported = []
    for prompt, answer in ((second, ["A", "B"]), (first, "neither")):
        tap.submit_answers(prompt.session_id, prompt.request_id, {"0": answer})
        reply = agent.hear()
        reported.append((reply["id"], reply["result"]["content"][0]["text"]))
    assert sorted(reported) == [(1, "neither"), (2, "A\nB")] or sorted(reported) == [
        (1, "A\nB"),
        (2, "neither"),
    ]


def test_an_agent_hears_of_a_refusal_and_of_an_end(agent, tap):
    agent.call(1, question="May I?")
    (prompt,) = waiting(tap)
    tap.respond(prompt.session_id, Response(prompt.request_id, decision="deny", reason="no"))
    assert agent.hear()["result"] == {"content": [{"type": "text", "text": "The user refused: no"}]}
    agent.call(2, question="May I?")
    (prompt,) = waiting(tap)
    tap.withdraw(prompt.request_id)
    assert agent.hear()["result"]["isError"] is True


def test_what_an_agent_cancels_is_taken_back_without_a_reply(agent, tap):
    agent.call(1, question="May I?")
    (prompt,) = waiting(tap)
    agent.send(method="notifications/cancelled", params={"requestId": 1})
    until(lambda: tap.prompt(prompt.request_id).state.value == "cancelled")
    agent.send(id=2, method="ping")
    assert agent.hear()["id"] == 2


def test_an_agent_that_leaves_takes_its_questions_along(agent, tap):
    agent.call(1, question="May I?")
    (prompt,) = waiting(tap)
    agent.close()
    until(lambda: tap.prompt(prompt.request_id).state.value == "cancelled")


def test_an_agent_hears_that_it_still_waits(agent, tap, monkeypatch):
    monkeypatch.setattr("clawtap_core.client.mcp.PIECE", 0.05)
    agent.call(1, meta={"progressToken": "t"}, question="May I?")
    reported = agent.hear()
    assert (reported["method"], reported["params"]["progressToken"]) == (
        "notifications/progress",
        "t",
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('{"id": 1}', -32600),
        ('{"id": [], "method": "ping"}', -32600),
        ('{"id": 1, "method": "nothing"}', -32601),
        ('{"id": 1, "method": "\\ud800"}', -32601),
        ('{"id": 1, "method": "tools/call", "params": {"name": "rm"}}', -32602),
    ],
)
def test_what_makes_no_sense_is_refused(agent, line, code):
    agent.line(line)
    assert agent.hear()["error"]["code"] == code


@pytest.mark.parametrize(
    "arguments", [{}, {"question": 5}, {"question": " "}, {"question": "x", "options": "abc"}]
)
def test_what_cannot_be_asked_is_said(agent, arguments):
    agent.call(1, **arguments)
    assert agent.hear()["result"]["isError"] is True


def test_a_line_that_is_not_utf8_does_not_end_the_tool(shell):
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    status, replies, error = shell("mcp", stdin=b"\xff\xfe\n" + ping)
    assert (status, error) == (0, "")
    broken, answered = map(json.loads, replies.splitlines())
    assert (broken["error"]["code"], answered["result"]) == (-32700, {})
