"""When a notice is sent: at once, after a grace, in a summary, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawtap_core.errors import Unavailable
from clawtap_core.model import Actor, PromptState
from clawtap_core.server.notices.outbox import (
    PAGES_REPORT_SECONDS,
    STORM_NOTICES,
    STORM_SECONDS,
    SUMMARY_SECONDS,
)
from clawtap_core.server.notices.presence import ALL_SESSIONS, DESK_SECONDS, LOOK_SECONDS


def test_a_user_who_is_away_is_notified_at_once(room):
    session = room.session()
    prompt = room.ask(session)
    room.clock.advance(1)
    (notice,) = room.sent
    assert (notice.kind, notice.title, notice.body) == ("prompts", "Shop", "Run a command?")
    assert notice.path == f"/sessions/{session.id}#prompt-{prompt.request_id}"
    assert (notice.detail, notice.waiting) == ("make test", 1)
    room.clock.advance(600)
    assert len(room.sent) == 1


def test_a_notice_has_the_title_that_the_page_shows(room):
    named, unnamed, begun = room.session("Checkout"), room.session("shop"), room.session("shop")
    content = [{"type": "text", "text": "Fix the\nlogin page"}]
    at = "2026-11-01T10:00:00Z"
    for session in (named, begun):
        message = {"id": "1", "role": "user", "content": content, "at": at}
        room.desk.say(session.id, message)
    for session in (named, unnamed, begun):
        room.ask(session)
        room.clock.advance(1)
    assert [notice.title for notice in room.sent] == ["Checkout", "shop", "Fix the login page"]


def test_prompts_of_a_session_are_one_notice_that_has_to_be_opened(room):
    session = room.session()
    room.ask(session)
    room.ask(session, "single")
    room.clock.advance(1)
    (notice,) = room.sent
    assert notice.body == "2 questions need you: Run a command?"
    assert (notice.detail, notice.request_id, room.tokens) == ("", None, [{}])


def test_a_user_at_another_page_is_notified_after_the_grace(room):
    room.ask(room.session())
    room.notices.presence.report("laptop", "")
    room.clock.advance(30)
    room.notices.presence.report("laptop", "")
    room.clock.advance(29)
    assert room.sent == []
    room.notices.presence.report("laptop", "")
    room.clock.advance(2)
    assert room.bodies == ["Run a command?"]


def test_a_user_who_leaves_within_the_grace_is_notified_before_its_end(room):
    preferences = room.notices.preferences
    preferences.change(replace(preferences.settings, grace=3600.0))
    room.ask(room.session())
    room.notices.presence.report("laptop", "")
    room.clock.advance(10)
    room.notices.presence.report("laptop", None)
    room.clock.advance(31)
    assert room.bodies == ["Run a command?"]


def test_the_report_of_a_page_that_was_left_is_not_undone_by_an_older_one(room):
    presence = room.notices.presence
    presence.report("laptop", None, 2)
    presence.report("laptop", "", 1)
    assert not presence.nearby()
    presence.report("laptop", "", 3)
    assert presence.nearby()


def test_an_answer_within_the_grace_leaves_nothing_to_send(room):
    prompt = room.ask(room.session())
    room.notices.presence.report("laptop", "")
    room.clock.advance(20)
    room.answer(prompt)
    room.clock.advance(600)
    assert room.sent == []


def test_keys_at_the_desk_count_as_being_near(room):
    room.type_at_desk()
    room.ask(room.session())
    room.clock.advance(59)
    assert room.sent == []
    room.clock.advance(2)
    assert len(room.sent) == 1


def test_a_desk_where_nobody_typed_for_a_while_is_empty(room):
    room.type_at_desk()
    room.clock.advance(DESK_SECONDS)
    room.ask(room.session())
    room.clock.advance(1)
    assert len(room.sent) == 1


def test_a_desk_that_cannot_be_asked_keeps_nothing_back(room, monkeypatch):
    def fail(_):
        raise Unavailable("tmux is gone")

    monkeypatch.setattr("webdesk.transport.DeskTransport.desk_typed_at", fail)
    room.ask(room.session())
    room.clock.advance(1)
    assert len(room.sent) == 1


def test_a_page_that_stops_reporting_counts_as_closed(room):
    session = room.session()
    room.notices.presence.report("laptop", session.id)
    room.clock.advance(LOOK_SECONDS)
    room.ask(session)
    room.clock.advance(1)
    assert len(room.sent) == 1


@pytest.mark.parametrize("inbox", [True, False], ids=["needs you", "session"])
def test_no_notice_of_a_session_on_screen_until_its_page_is_left(room, inbox):
    session = room.session()
    room.ask(session)
    for _ in range(20):
        room.notices.presence.report("phone", ALL_SESSIONS if inbox else session.id)
        room.clock.advance(30)
    assert room.sent == []
    room.notices.presence.report("phone", None)
    room.clock.advance(31)
    assert len(room.sent) == 1


def test_the_end_of_a_turn_is_sent_but_not_if_it_was_seen(room):
    seen, unseen = room.session("Seen"), room.session("Unseen")
    room.notices.presence.report("phone", seen.id)
    room.end_turn(seen)
    room.end_turn(unseen)
    room.clock.advance(1)
    room.notices.presence.report("phone", None)
    room.clock.advance(600)
    assert [(each.kind, each.title, each.body) for each in room.sent] == [
        ("turns", "Unseen", "Finished")
    ]


def test_nothing_is_sent_in_quiet_hours_and_what_still_waits_after_them(room):
    preferences = room.notices.preferences
    preferences.change(replace(preferences.settings, quiet_hours="11:00-12:30"))
    first, second = room.session("First"), room.session("Second")
    room.ask(first)
    answered = room.ask(second)
    room.clock.advance(600)
    room.answer(answered)
    assert room.sent == []
    room.clock.advance(20 * 60 + 60)
    assert [notice.title for notice in room.sent] == ["First"]


def test_a_muted_session_is_silent_and_the_others_are_not(room):
    muted, other = room.session("Muted"), room.session("Other")
    room.notices.preferences.mute(muted.id, muted=True)
    room.ask(muted)
    room.ask(other)
    room.end_turn(muted)
    room.clock.advance(60)
    assert [notice.title for notice in room.sent] == ["Other"]
    room.notices.preferences.mute(muted.id, muted=False)
    room.clock.advance(31)
    assert [notice.title for notice in room.sent] == ["Other", "Muted"]


def test_a_storm_is_one_summary(room):
    sessions = [room.session(f"S{number}") for number in range(STORM_NOTICES + 3)]
    prompts = [room.ask(session) for session in sessions]
    room.clock.advance(1)
    (summary,) = room.sent
    assert (summary.body, summary.path) == ("7 sessions need you", "/")
    assert (summary.detail, summary.waiting, room.tokens) == ("", 7, [{}])
    room.clock.advance(600)
    assert len(room.sent) == 1
    for prompt in prompts:
        room.answer(prompt)
    room.clock.advance(1)
    assert len(room.sent) == 2
    assert (room.sent[-1].kind, room.sent[-1].tag) == ("withdrawn", summary.tag)


def test_the_number_of_a_summary_falls_in_silence_as_prompts_are_answered(room):
    prompts = [room.ask(room.session()) for _ in range(STORM_NOTICES + 1)]
    room.clock.advance(1)
    for prompt in prompts:
        room.answer(prompt)
        room.clock.advance(1)
    assert room.bodies == [
        "5 sessions need you",
        "4 sessions need you",
        "3 sessions need you",
        "2 sessions need you",
        "1 session needs you",
        "All clear",
    ]
    assert {(notice.tag, notice.path) for notice in room.sent} == {("summary", "/")}
    assert [notice.silent for notice in room.sent] == [False] + [True] * 5
    assert [notice.waiting for notice in room.sent] == [5, 4, 3, 2, 1, 0]


def test_the_number_of_a_summary_falls_also_by_a_prompt_that_came_before_it(room):
    before = room.ask(room.session())
    room.clock.advance(1)
    later = [room.ask(room.session()) for _ in range(STORM_NOTICES)]
    room.clock.advance(1)
    assert room.bodies[1:] == ["5 sessions need you"]
    room.answer(before)
    room.clock.advance(1)
    assert room.bodies[2:] == ["Answered from Pixel 8", "4 sessions need you"]
    room.answer(later[0])
    room.clock.advance(1)
    assert room.bodies[4:] == ["3 sessions need you"]


def test_a_storm_that_comes_bit_by_bit_ends_in_summaries_too(room):
    for _ in range(STORM_NOTICES):
        room.ask(room.session())
        room.clock.advance(1)
    assert len(room.sent) == STORM_NOTICES
    for _ in range(10):
        room.ask(room.session())
        room.clock.advance(1)
    assert room.bodies[STORM_NOTICES:] == ["5 sessions need you"]
    room.clock.advance(SUMMARY_SECONDS)
    assert room.bodies[STORM_NOTICES:] == ["5 sessions need you", "14 sessions need you"]
    room.clock.advance(STORM_SECONDS)
    room.ask(room.session("Late"))
    room.clock.advance(1)
    assert room.sent[-1].title == "Late"


def test_a_notice_is_withdrawn_when_its_prompt_was_answered(room):
    session = room.session()
    prompt = room.ask(session)
    room.clock.advance(1)
    room.answer(prompt)
    room.clock.advance(1)
    gone = room.sent[-1]
    assert (gone.kind, gone.tag) == ("withdrawn", room.sent[0].tag)
    assert (gone.body, gone.waiting) == ("Answered from Pixel 8", 0)
    room.clock.advance(600)
    assert len(room.sent) == 2


def test_a_prompt_that_nobody_is_known_to_have_answered_no_longer_waits(room):
    prompt = room.ask(room.session())
    room.clock.advance(1)
    unknown = Actor("unknown", "elsewhere")
    room.desk.resolve(prompt.request_id, PromptState.ANSWERED_ELSEWHERE, unknown)
    room.hear()
    room.clock.advance(1)
    assert room.sent[-1].body == "No longer waiting"


def test_a_notice_is_withdrawn_also_while_the_user_is_near_or_wants_quiet(room):
    prompt = room.ask(room.session())
    room.clock.advance(1)
    room.notices.presence.report("phone", ALL_SESSIONS)
    preferences = room.notices.preferences
    preferences.change(replace(preferences.settings, quiet_hours="00:00-23:59"))
    room.answer(prompt)
    room.clock.advance(1)
    assert room.sent[-1].kind == "withdrawn"


def test_one_of_two_answered_prompts_changes_the_notice_in_silence(room):
    session = room.session()
    first = room.ask(session)
    room.ask(session, "single")
    room.clock.advance(1)
    room.answer(first)
    room.clock.advance(1)
    assert [notice.silent for notice in room.sent] == [False, True]
    assert not room.sent[-1].body.startswith("2 questions")


def restart(room, settings, *, meanwhile=lambda: None):
    """Start the notices again; `meanwhile` happens while nobody listens."""
    room.notices.outbox.close()
    meanwhile()
    room.notices = type(room.notices)(
        settings, room.devices, room.desk.transport, room.send, room.clock
    )
    room.notices.recover(room.desk.transport)


def test_a_notice_from_before_a_restart_is_withdrawn_and_not_sent_again(room, settings):
    prompt = room.ask(room.session())
    room.clock.advance(1)
    restart(room, settings)
    room.clock.advance(600)
    assert len(room.sent) == 1
    room.answer(prompt)
    room.clock.advance(1)
    assert room.sent[-1].kind == "withdrawn"


def test_a_prompt_that_nobody_was_told_of_before_a_restart_is_told_after_it(room, settings):
    room.notices.presence.report("laptop", "")
    room.ask(room.session())
    room.clock.advance(10)
    restart(room, settings)
    room.clock.advance(PAGES_REPORT_SECONDS - 1)
    assert room.sent == []
    room.clock.advance(2)
    assert room.bodies == ["Run a command?"]


def test_a_page_that_was_open_on_the_session_keeps_a_notice_back_after_a_restart(room, settings):
    session = room.session()
    room.notices.presence.report("laptop", session.id)
    room.ask(session)
    room.clock.advance(10)
    restart(room, settings)
    for _ in range(6):
        room.clock.advance(20)
        room.notices.presence.report("laptop", session.id)
    assert room.sent == []


def test_a_notice_whose_prompt_ended_while_nothing_ran_is_withdrawn(room, settings):
    prompt = room.ask(room.session())
    room.clock.advance(1)
    desk, somebody = Actor("user", "desk"), PromptState.ANSWERED_ELSEWHERE
    restart(
        room,
        settings,
        meanwhile=lambda: room.desk.resolve(prompt.request_id, somebody, desk),
    )
    room.clock.advance(1)
    assert [notice.kind for notice in room.sent] == ["prompts", "withdrawn"]
    assert room.sent[-1].tag == room.sent[0].tag


def test_a_summary_from_before_a_restart_is_lowered_and_withdrawn(room, settings):
    prompts = [room.ask(room.session(f"Session {n}")) for n in range(STORM_NOTICES + 1)]
    room.clock.advance(1)
    assert room.bodies == ["5 sessions need you"]
    restart(room, settings)
    room.clock.advance(600)
    assert len(room.sent) == 1
    room.answer(prompts[0])
    room.clock.advance(1)
    assert (room.sent[-1].body, room.sent[-1].silent) == ("4 sessions need you", True)
    for prompt in prompts[1:]:
        room.answer(prompt)
    room.clock.advance(1)
    gone = room.sent[-1]
    assert (gone.kind, gone.tag, gone.body) == ("withdrawn", room.sent[0].tag, "All clear")


def test_a_damaged_record_of_what_was_shown_costs_only_a_second_notice(room, settings):
    room.ask(room.session())
    room.clock.advance(1)
    (settings.data_dir / "notices.json").write_text('{"shown": [1]}')
    restart(room, settings)
    room.clock.advance(600)
    assert room.bodies == ["Run a command?"] * 2


@pytest.fixture
def full_disk(monkeypatch):
    """No file can be written any more."""

    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("clawtap_core.server.private_files.replace_file", full)


def test_a_full_disk_keeps_no_notice_back(room, full_disk):
    prompt = room.ask(room.session())
    room.clock.advance(1)
    assert room.bodies == ["Run a command?"]
    room.answer(prompt)
    room.clock.advance(1)
    assert [notice.kind for notice in room.sent] == ["prompts", "withdrawn"]


def test_a_plugin_that_fails_stops_no_notice(room, caplog):
    room.notices._send = lambda notice, answers: 1 / 0
    room.ask(room.session())
    room.clock.advance(1)
    assert "ZeroDivisionError" in caplog.text
    assert "make test" not in caplog.text


def test_preferences_survive_a_restart_and_a_damaged_file(room, settings):
    preferences = room.notices.preferences
    preferences.change(replace(preferences.settings, grace=5.0, quiet_hours="22:00-07:00"))
    preferences.mute("s1", muted=True)
    kept = type(preferences)(settings.data_dir / "notifications.json", settings)
    assert (kept.settings.grace, kept.settings.quiet_hours, kept.muted) == (
        5.0, "22:00-07:00", ("s1",)
    )  # fmt: skip
    (settings.data_dir / "notifications.json").write_text("{damaged")
    fresh = type(preferences)(settings.data_dir / "notifications.json", settings)
    assert (fresh.settings.grace, fresh.muted) == (60.0, ())


def test_a_usage_limit_is_one_notice_that_the_end_of_the_turn_does_not_replace(room):
    session = room.session()
    error = {"sessionId": session.id, "code": "usage_limit", "error": "You've hit your limit"}
    room.desk.tell("session_error", session.id, error)
    room.end_turn(session)
    room.clock.advance(600)
    assert room.bodies == ["Limit reached: You've hit your limit"]
