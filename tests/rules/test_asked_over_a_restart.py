"""Rules 8 and 9 for other programs: what they ask waits on over kill -9, and expires in time."""

from __future__ import annotations

import threading

import pytest
from forked_server import ForkedServed

ASK = {"title": "Deploy?", "from": "ci"}


@pytest.fixture
def served(nursery, tmux_socket, tmp_path):
    limit = ("--interaction-timeout", "600")
    served = ForkedServed(nursery, tmp_path, tmux_socket=tmux_socket, arguments=limit).start()
    yield served
    served.stop()


def test_a_prompt_keeps_its_id_and_its_time_and_is_answered(served):
    asked = served.client.post("/api/prompts", ASK).body
    served.kill()
    served.start()
    path = f"/api/prompts/{asked['requestId']}"
    assert served.client.get(path).body == asked
    (session,) = served.client.get("/api/sessions").body
    shown = (session["title"], session["channel"], session["state"], session["pending"])
    assert shown == ("ci", "external", "waiting", 1)
    found = []
    waiting = threading.Thread(target=lambda: found.append(served.client.get(path, wait=20)))
    waiting.start()
    answer = {"requestId": asked["requestId"], "reason": "not today"}
    reply = served.client.post(f"/api/sessions/{session['id']}/deny", answer)
    waiting.join(60)
    assert (reply.status, found[0].body["state"]) == (200, "denied")
    assert found[0].body["resolution"]["response"]["reason"] == "not today"
    assert served.client.get("/api/sessions").body[0]["state"] == "idle"


def test_a_secret_is_handed_over_also_when_it_was_asked_before_a_restart(served):
    question = {"question": "Code?", "secret": True}
    asked = served.client.post("/api/prompts", {"title": "2FA", "questions": [question]}).body
    served.kill()
    served.start()
    where = f"/api/sessions/{asked['sessionId']}/submit-answers"
    given = {"requestId": asked["requestId"], "answers": {"0": "123456"}}
    assert served.client.post(where, given).status == 200
    path = f"/api/prompts/{asked['requestId']}"
    assert "123456" not in str(served.client.get(path).body)
    reported = served.client.get(path, wait=5).body["resolution"]["response"]["answers"]
    assert reported == {"0": "123456"}
    assert "123456" not in str(served.client.get(path, wait=5).body)
    assert "123456" not in str(served.client.get("/api/journal").body)


def test_what_expired_while_the_server_was_away_is_expired_at_its_start(served):
    asked = served.client.post("/api/prompts", {**ASK, "timeout": 0.2}).body
    for_ever = served.client.post("/api/prompts", {**ASK, "timeout": 0}).body
    served.kill()
    served.start()
    ended = served.client.get(f"/api/prompts/{asked['requestId']}", wait=10).body
    assert (ended["state"], ended["resolution"]["by"]) == ("expired", "clawtap")
    waits = served.client.get(f"/api/prompts/{for_ever['requestId']}", wait=0).body
    assert (waits["state"], "expiresAt" in waits) == ("pending", False)


def test_who_waits_is_let_go_when_the_server_stops(served):
    asked = served.client.post("/api/prompts", ASK).body
    path, found = f"/api/prompts/{asked['requestId']}", []

    def wait():
        try:
            found.append(served.client.get(path, wait=60).body["state"])
        except OSError:
            found.append("closed")

    events = served.client.events()
    waiting = threading.Thread(target=wait)
    waiting.start()
    events.wait("snapshot")
    served.stop()
    waiting.join(60)
    events.close()
    assert found in (["pending"], ["closed"])
