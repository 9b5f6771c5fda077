"""A used-up quota: the session is limited, until the time that the dialog of 0.61 names."""

from __future__ import annotations

import copy
import time
from datetime import datetime

from clawtap_gemini.live import turns
from limit_scenarios import is_limited


def quota_used_up(seconds=None):
    """What the provider answers to a used-up quota; it may say when it is filled again."""
    answer = copy.deepcopy(turns.QUOTA)
    if seconds:
        error, rpc = answer["error"]["error"], "type.googleapis.com/google.rpc."
        why = {"reason": "QUOTA_EXHAUSTED", "domain": "cloudcode-pa.googleapis.com"}
        error["details"] = [
            {"@type": f"{rpc}ErrorInfo", **why, "metadata": {}},
            {"@type": f"{rpc}RetryInfo", "retryDelay": f"{seconds}s"},
        ]
    return answer


def meet_limit(testbed, own, refusal):
    """Return a session whose model refuses, with the choices at the limit answered by "Stop"."""
    talk = own()
    talk.idle(150)  # its first start takes long on a busy machine
    talk.model.play(refusal, repeat_last=True)
    talk.say()
    if testbed.version != "0.34.0":
        prompt = talk.prompt()
        assert prompt["type"] == "question"
        assert talk.approve(prompt).body["code"] == "wrong_kind"
        assert talk.answer(prompt, {"0": "Stop"}).status == 200
    return talk


def test_a_used_up_quota_is_a_state(testbed, own):
    talk = meet_limit(testbed, own, quota_used_up())
    is_limited(talk, "quota", ends=None)
    talk.play()
    assert talk.testbed.client.delete(f"{talk.path}/limit").status == 200
    talk.finish()
    assert talk.log.times_said("not yet") == 1


def test_the_end_that_only_the_dialog_names_is_known(testbed, own):
    seconds, began = 42 * 60, time.time()
    talk = meet_limit(testbed, own, quota_used_up(seconds))
    if testbed.version == "0.34.0":
        is_limited(talk, "quota", ends=None)
        return
    talk.until(lambda now: "endsAt" in now.get("limit", ()))
    limit = talk.get().body["limit"]
    assert limit["text"].startswith("Usage limit reached for all Pro models. Access resets at ")
    ends = datetime.fromisoformat(limit["endsAt"]).timestamp()
    assert began + seconds - 60 < ends < time.time() + seconds + 60
