"""Somebody at the desk has moved in a prompt and left: a device answers it all the same."""

from __future__ import annotations

import pytest
from every_cli import on_every_version

pytestmark = on_every_version
PLACES = ["Paris", "Rome", "Oslo"]
# Each moves on by one row, so that every row of the list has its turn, also below the options.
MOVES = [("Down",) * count for count in range(1, 7)] + [("Up",), ("Tab",)]


@pytest.mark.timeout(900)
def test_a_question_gets_the_answer_wherever_the_desk_has_moved(testbed, own):
    talk, turns = own(), testbed.cli.turns
    talk.idle(90)
    for moves in MOVES:
        prompt = talk.do(turns.ask(turns.choice("Which place?", *PLACES)))
        talk.seat.press(*moves)
        reply = talk.answer(prompt, {"0": "Rome"})
        assert reply.status == 200, (moves, reply, talk.seat.text())
        said = str(talk.outputs()[-1])
        assert "Rome" in said.replace("\\", ""), (moves, said)

        talk.finish()


@pytest.mark.timeout(900)
def test_a_permission_gets_the_answer_wherever_the_desk_has_moved(testbed, own):
    talk = own()
    talk.idle(90)
    # On Copilot Tab leaves the conversation for another page.
    tried = [moves for moves in MOVES if testbed.cli.name != "copilot" or "Tab" not in moves]
    for number, moves in enumerate(tried):
        for allowed in (True, False):
            name = f"moved-{number}-{allowed}.txt"
            prompt = talk.do(testbed.cli.turns.shell(f"touch {name}"))
            talk.seat.press(*moves)
            reply = talk.approve(prompt) if allowed else talk.deny(prompt)
            assert reply.status == 200, (moves, allowed, reply, talk.seat.text())
            talk.idle()
            assert (talk.cwd / name).exists() is allowed, (moves, allowed)
