"""What a page submits again is done once."""

from __future__ import annotations

from itertools import count
from threading import Event, Thread

import pytest

from webui.submissions import Submissions


def test_a_key_acts_once_and_no_key_always() -> None:
    submissions, number = Submissions(), count()
    outcomes = [submissions.once(key, lambda: next(number)) for key in ("a", "a", "b", "", "")]
    assert outcomes == [0, 0, 1, 2, 3]


def test_what_was_refused_is_done_again() -> None:
    def refuse() -> None:
        raise ValueError("no")

    submissions = Submissions()
    with pytest.raises(ValueError, match="no"):
        submissions.once("a", refuse)
    assert submissions.once("a", lambda: "done") == "done"


def test_a_second_attempt_waits_for_the_first() -> None:
    submissions, began, may_end, outcomes = Submissions(), Event(), Event(), list[str]()

    def act() -> str:
        began.set()
        may_end.wait()
        return "first"

    attempts = [
        Thread(target=lambda act=act: outcomes.append(submissions.once("a", act)))
        for act in (act, lambda: "second")
    ]
    attempts[0].start()
    began.wait()
    attempts[1].start()
    assert outcomes == []
    may_end.set()
    for attempt in attempts:
        attempt.join()
    assert outcomes == ["first", "first"]


def test_only_the_latest_keys_are_kept() -> None:
    submissions = Submissions()
    for number in range(2000):
        submissions.once(f"k{number}", lambda: "first")
    assert submissions.once("k1999", lambda: "second") == "first"
    assert submissions.once("k0", lambda: "second") == "second"
