"""Usage limits over the protocols: as far as the CLIs report them."""

from __future__ import annotations

import time

from clawtap_gemini.live import turns as gemini_turns
from limit_scenarios import is_limited, plan_used_up


def test_a_plan_of_codex_that_is_used_up_is_a_state_with_its_end(codex, speak):
    talk = speak(codex, "codex")
    ends = int(time.time()) + 42 * 60
    talk.model.play(plan_used_up(42 * 60), repeat_last=True)
    talk.say()
    is_limited(talk, "hit your usage limit", ends)


def test_a_used_up_quota_of_gemini_is_a_state(gemini, speak):
    talk = speak(gemini, "gemini")
    talk.model.play(gemini_turns.QUOTA, repeat_last=True)
    talk.say()
    is_limited(talk, "quota", ends=None)
