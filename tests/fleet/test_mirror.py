"""What is kept of another machine: its replies may come before the events of the same answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from clawtap_core import Kind, PromptForm, PromptState
from clawtap_core.fleet.members import Member
from clawtap_core.fleet.mirror import Mirror
from clawtap_core.fleet.state_fields import PROMPT, SEQ, field_name
from clawtap_core.model import Prompt
from clawtap_core.schemas import dump

NOON = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)
FORM = PromptForm(Kind.PERMISSION, "Run this?", "make")
PROMPT_OPEN = Prompt("p1", "s1", "terminal", FORM, NOON)
ANSWERING = replace(PROMPT_OPEN, state=PromptState.ANSWERING)
ANSWERED = replace(PROMPT_OPEN, state=PromptState.ANSWERED)


@pytest.fixture
def mirror():
    mirror = Mirror(lambda event: None)
    mirror.meet({"laptop": Member("laptop")}, {"laptop": {}})
    mirror.replace("laptop", "1-0", whole_state(PROMPT_OPEN))
    return mirror


def whole_state(prompt):
    return {SEQ: 1, field_name(PROMPT, prompt.request_id): dump(prompt)}


def updated(prompt, seq):
    return {
        "type": "prompt_updated",
        "at": NOON.isoformat(),
        "sessionId": prompt.session_id,
        "data": dump(prompt),
        "seq": seq,
    }


def test_a_prompt_that_ended_in_a_reply_stays_ended_when_an_older_event_comes(mirror):
    mirror.remember("laptop", ANSWERED)
    assert mirror.apply("laptop", "2-0", updated(ANSWERING, 2))
    assert mirror.prompt("p1") == ("laptop", ANSWERED)
    assert mirror.prompts() == []


def test_a_prompt_that_ended_in_a_reply_stays_ended_when_an_older_state_is_read(mirror):
    mirror.remember("laptop", ANSWERED)
    mirror.replace("laptop", "2-0", whole_state(ANSWERING))
    assert mirror.prompt("p1") == ("laptop", ANSWERED)
    assert mirror.prompts() == []


def test_a_prompt_that_ended_in_a_reply_waits_no_more(mirror):
    assert [prompt.request_id for prompt in mirror.prompts()] == ["p1"]
    mirror.remember("laptop", ANSWERED)
    assert mirror.prompts() == []
    assert mirror.machines()[0].pending == 0
