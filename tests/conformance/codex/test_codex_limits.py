"""A plan's usage limit: the session is limited until the time that the CLI names."""

from __future__ import annotations

import time

from limit_scenarios import is_limited, plan_used_up, resume_later


def test_a_session_is_resumed_once_when_its_limit_has_ended(own):
    assert resume_later(own(), plan_used_up(5), "please go on", 120) == 1


def test_a_usage_limit_is_a_state_with_its_end(own):
    ends = int(time.time()) + 42 * 60
    talk = own()
    talk.idle(60)
    talk.model.play(plan_used_up(42 * 60), repeat_last=True)
    talk.say()
    is_limited(talk, "hit your usage limit", ends)
    assert talk.pending() == []
