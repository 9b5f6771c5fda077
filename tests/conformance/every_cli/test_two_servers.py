"""Two servers watch the same pane, and a person answers on both at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from every_cli import on_every_version
from patience import until

from clawtap_core.testing import Served

pytestmark = on_every_version
ROUNDS = 10
# By how many seconds the second answer is late.
LATE = (0.0, 0.01, 0.05, 0.3, 1.0)
# Without keys of their own its options are reached by the cursor, and two servers that move it
# against each other may both give up.
BY_CURSOR = ("opencode",)


@pytest.fixture
def second(testbed, tmp_path):
    """The client of another server on the same tmux."""
    served = Served(tmp_path, tmux_socket=testbed.desk.socket, env=testbed.env)
    yield served.start().client
    served.stop()


@pytest.mark.timeout(1200)
def test_of_two_servers_the_one_whose_answer_counted_says_so(testbed, own, second):
    talk = own()
    talk.idle(90)
    session = second.post("/api/sessions", {"adopt": talk.seat.pane}).body["id"]

    def allow(prompt, wait):
        time.sleep(wait)
        return talk.approve(prompt).status

    def refuse(prompt, wait):
        time.sleep(wait)
        body = {"requestId": prompt["requestId"]}
        return second.post(f"/api/sessions/{session}/deny", body).status

    tally = []
    with ThreadPoolExecutor(2) as pool:
        for number in range(ROUNDS):
            made = talk.cwd / f"two{number}.txt"
            prompt = talk.do(testbed.cli.turns.shell(f"touch {made.name}"))
            (same,) = until(lambda: second.get("/api/pending").body)
            late = LATE[number // 2 % len(LATE)]
            allowed = pool.submit(allow, prompt, late * (number % 2))
            refused = pool.submit(refuse, same, late * (1 - number % 2))
            statuses = allowed.result(), refused.result()
            if testbed.cli.name in BY_CURSOR and 200 not in statuses:
                assert not made.exists()
                statuses = talk.approve(prompt).status, 409
            # A refusal may have ended the turn, and its reason be asked for.
            until(lambda: not testbed.client.get("/api/pending").body)
            until(lambda: talk.get().body["state"] == "idle")
            until(lambda: not second.get("/api/pending").body)
            tally.append((late, *statuses, made.exists()))
    print(tally)
    # Who has moved the cursor does not know that nothing came of it.
    lost = (409, 502) if testbed.cli.name in BY_CURSOR else (409,)
    ends = [sorted(statuses) for _, *statuses, _ in tally]
    assert all(first == 200 and last in lost for first, last in ends), tally
    assert all(made == (allowed == 200) for _, allowed, _, made in tally), tally
