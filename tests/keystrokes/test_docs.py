"""The answer in docs/adapters.md does what it says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_list import Listed

from clawtap_core import Response, Steps, hookimpl

DOCS = Path(__file__).parents[2] / "docs" / "adapters.md"
BLOCK = re.compile(r"<!-- tested: tests/keystrokes/test_docs\.py.*?-->\n```python\n(.*?)```", re.S)


@pytest.mark.parametrize(
    ("listed", "given", "decided"),
    [
        ({}, {"answers": {"0": "three"}}, "three"),
        ({"free": True}, {"answers": {"0": "my own"}}, "Done"),
        ({"several": True}, {"answers": {"0": ("one", "two")}}, "Done"),
    ],
)
def test_the_answer_in_the_docs_answers(
    listed: dict[str, Any], given: dict[str, Any], decided: str
) -> None:
    found = BLOCK.search(DOCS.read_text(encoding="utf-8"))
    assert found
    paper = Listed(**listed)
    names: dict[str, Any] = {"hookimpl": hookimpl, "Steps": Steps, "read": lambda _: paper.reading}
    exec(found[1], names)
    form, response = paper.reading.form, Response("r", **given)
    assert paper.run(lambda now, progress: names["respond"](form, response, None, progress))
    assert paper.decided == decided
    refused = names["respond"](form, replace(response, decision="deny"), None, None)
    assert [step.key for step in refused.steps if hasattr(step, "key")] == ["Escape"]
