"""A used-up quota: the session is limited; with an API key the CLI writes down no end of it."""

from __future__ import annotations

from clawtap_gemini.live import turns
from limit_scenarios import is_limited


def test_a_used_up_quota_is_a_state(testbed, own):
    talk = own()
    talk.idle(60)
    talk.model.play(turns.QUOTA, repeat_last=True)
    talk.say()
    if testbed.version != "0.34.0":
        prompt = talk.prompt()
        assert prompt["type"] == "question"
        assert talk.approve(prompt).body["code"] == "wrong_kind"
        assert talk.answer(prompt, {"0": "Stop"}).status == 200
    is_limited(talk, "quota", ends=None)
    talk.play()
    assert talk.testbed.client.delete(f"{talk.path}/limit").status == 200
    talk.finish()
    assert talk.log.times_said("not yet") == 1
