"""Painted -> event and POST -> outcome, on each real CLI.

The figures are printed; `--samples 100` takes more of them:
`pytest --conformance -s tests/conformance/every_cli/test_reaction_times.py`
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from reaction_times import in_words, output_of, percentile

# A busy machine is slow; a wait that was forgotten in the code is longer than this.
LONGEST_MEDIAN = 1.5


@pytest.mark.timeout(3600)
def test_a_prompt_is_announced_and_its_answer_delivered_at_once(
    testbed: Any, own: Any, pytestconfig: Any, tmp_path: Any
):
    talk = own()
    talk.idle(60)
    reported, carried = [], []
    with output_of(talk.seat, tmp_path) as output:
        for number in range(pytestconfig.getoption("--samples")):
            output.begin()
            prompt = talk.do(testbed.cli.turns.shell(f"touch timed-{number}.txt"))
            event = talk.events.wait(
                "approval_required",
                where=lambda data, asked=prompt: data["requestId"] == asked["requestId"],
            )
            reported.append(event.at - output.painted(testbed.cli.last_words))
            posted = time.monotonic()
            assert talk.approve(prompt).status == 200
            carried.append(time.monotonic() - posted)
            talk.outputs()
            talk.finish()
    print(f"\n{testbed.version}: {in_words('painted -> event', reported)}")
    print(f"{testbed.version}: {in_words('POST -> outcome', carried)}")
    assert percentile(reported, 0.5) < LONGEST_MEDIAN
    assert percentile(carried, 0.5) < LONGEST_MEDIAN
