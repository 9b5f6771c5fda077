"""Rules answer Kimi Code only where the file of the conversation has the whole call."""

from __future__ import annotations

import pytest
from clawtap_kimi.live import turns


@pytest.fixture
def rule(testbed):
    """Allows one command in a folder, until the test ends."""

    def add(folder, command):
        wanted = {"name": "kimi", "decision": "allow", "tool": "Bash", "commands": [command]}
        wanted |= {"folder": str(folder), "expires": "2100-01-01T00:00:00Z"}
        assert testbed.client.post("/api/rules", {"rules": [wanted]}).status == 201

    yield add
    testbed.client.delete("/api/rules/kimi")


def test_a_rule_allows_a_command_that_the_file_has(testbed, talk, rule):
    rule(talk.cwd, "touch by-rule.txt")
    prompt = talk.do(turns.shell("touch by-rule.txt"))
    if testbed.reports_calls:
        resolved = talk.resolved(prompt)
        assert (resolved["state"], resolved["resolution"]["by"]) == ("answered", "rule kimi")
        talk.outputs()
        talk.finish()
        assert (talk.cwd / "by-rule.txt").exists()
    else:
        # Nothing but the screen shows the command.
        explained = testbed.client.get(f"/api/prompts/{prompt['requestId']}/rules").body
        assert explained["judgement"]["reasons"]
        assert talk.deny(prompt).status == 200
        talk.idle()
        assert not (talk.cwd / "by-rule.txt").exists()


def test_no_rule_allows_a_command_that_draws_another_one(testbed, talk, rule):
    rule(talk.cwd, "touch drawn.txt")
    prompt = talk.do(turns.shell("touch hidden.txt" + "\b" * 16 + "touch drawn.txt "))
    if testbed.reports_calls:
        talk.until(lambda _: "\b" in talk.pending()[0]["toolInput"]["command"])
    explained = testbed.client.get(f"/api/prompts/{prompt['requestId']}/rules").body
    assert explained["judgement"]["reasons"]
    (waiting,) = talk.pending()
    assert (waiting["requestId"], waiting["state"]) == (prompt["requestId"], "pending")
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert not (talk.cwd / "hidden.txt").exists()
