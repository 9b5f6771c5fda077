"""The time that a usage limit ends, as CLIs write it."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from clawtap_core.transcripts.usage_limit import limit_reached, moment, time_in

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets 6:34pm (UTC)", datetime(2026, 11, 23, 18, 34, 59, tzinfo=timezone.utc)),
        ("resets 12:00pm (UTC)", datetime(2026, 11, 23, 12, 0, 59, tzinfo=timezone.utc)),
        ("resets 6:34am (UTC)", datetime(2026, 11, 24, 6, 34, 59, tzinfo=timezone.utc)),
        ("resets 12am (UTC)", datetime(2026, 11, 24, 0, 0, 59, tzinfo=timezone.utc)),
        ("resets Nov 26, 6:24am (UTC)", datetime(2026, 11, 26, 6, 24, 59, tzinfo=timezone.utc)),
        ("resets Jan 2, 3pm (UTC)", datetime(2027, 1, 2, 15, 0, 59, tzinfo=timezone.utc)),
        ("resets at 6:35 AM UTC.", datetime(2026, 11, 24, 6, 35, 59, tzinfo=timezone.utc)),
        ("resets 3pm (Asia/Tokyo)", datetime(2026, 11, 24, 6, 0, 59, tzinfo=timezone.utc)),
    ],
)
def test_a_time_of_day_is_the_next_one(text, expected):
    assert time_in(f"You've hit your limit · {text}", NOON) == expected


def test_a_time_without_a_zone_is_local():
    expected = datetime(2026, 11, 26, 6, 24, 59).astimezone()
    assert time_in("or try again at Nov 26th, 2026 6:24 AM.", NOON) == expected


@pytest.mark.parametrize(
    "text",
    ["no time", "resets soon", "resets 99pm", "resets Feb 31, 3pm (UTC)", "resets 3:99pm"],
)
def test_what_is_no_time_is_none(text):
    assert time_in(text, NOON) is None


def test_nothing_is_made_of_a_text_whose_date_is_unknown():
    assert time_in("resets 3pm (UTC)", None) is None


@pytest.mark.parametrize("seconds", [None, float("nan"), 1e30, -1e30])
def test_seconds_that_are_no_time_are_none(seconds):
    assert moment(seconds) is None


def test_the_event_names_the_end_only_if_it_is_known():
    assert limit_reached("no", None).data == {"error": "no", "code": "usage_limit"}
    assert limit_reached("no", NOON).data["endsAt"] == "2026-11-23T12:00:00Z"
