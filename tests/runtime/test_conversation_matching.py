"""Which transcript a session goes on in, when its CLI says nothing of it: in doubt its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from clawtap_core import Session, TranscriptInfo
from clawtap_core.runtime.conversations.matching import (
    PaneText,
    UserMessage,
    free,
    switched_to,
    taken_up,
)
from clawtap_core.transcripts.reader import EarlierFile
from clawtap_core.transcripts.transcript import Transcript

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)


def at(seconds):
    return NOON + timedelta(seconds=seconds)


def transcript(name, changed):
    return Transcript(Path(name), TranscriptInfo(name, "/proj"), False, 100, at(changed))


NEW = transcript("new", 62)
SAID = UserMessage("go to the south\nat once", at(60))
# The old transcript is silent since noon; a minute later the user spoke, and the turn is over.
SIGHT = PaneText(
    screen="welcome❯gotothesouthatonceIgo",
    others=["❯gotothenorth"],
    sent="",
    own={"gotothenorth"},
    written=at(0),
    active_at=at(61),
    turn_began=None,
    now=at(65),
    slack=timedelta(seconds=2),
)


def found_by(sight=SIGHT, said=None):
    said = {NEW: SAID} if said is None else said
    return switched_to(sight, list(said), said.get)


def test_a_session_goes_on_where_the_words_on_its_screen_were_written():
    assert found_by() is NEW


def test_while_it_works_on_them_too():
    assert found_by(replace(SIGHT, turn_began=at(60.2))) is NEW


@pytest.mark.parametrize(
    ("why", "change"),
    [
        ("they do not stand on its screen", {"screen": "welcome"}),
        ("they stand on another session's screen too", {"others": ["x❯gotothesouthatonce"]}),
        ("its own transcript holds them", {"own": {"gotothesouthatonce"}}),
        ("its own transcript went on since", {"written": at(61)}),
        ("nothing happened in it since they were said", {"active_at": at(50)}),
        ("its own may only be late", {"now": at(61)}),
        ("its turn began before them: a tool runs another CLI", {"turn_began": at(-5)}),
        ("its turn began as its own was written", {"turn_began": at(1)}),
    ],
)
def test_it_stays_when(why, change):
    assert found_by(replace(SIGHT, **change)) is None, why


@pytest.mark.parametrize(
    ("spoke", "sent", "goes"),
    [
        (UserMessage("south", at(60)), "", False),
        (UserMessage("south", at(60)), "south", True),
        (UserMessage("go to the south", None), "", False),
        (None, "", False),
    ],
)
def test_short_words_count_only_when_they_were_sent_from_here(spoke, sent, goes):
    assert found_by(replace(SIGHT, sent=sent), {NEW: spoke}) is (NEW if goes else None)


def test_of_two_that_fit_it_goes_to_none():
    twin = transcript("twin", 63)
    assert found_by(said={NEW: SAID, twin: SAID}) is None
    assert found_by(said={NEW: SAID, twin: UserMessage("go elsewhere", at(60))}) is NEW


def test_one_that_is_older_than_its_own_is_not_looked_at():
    old = transcript("old", -1)
    assert switched_to(SIGHT, [old], lambda _: pytest.fail("it was read")) is None


def test_a_fork_of_its_own_conversation_may_be_in_another_folder():
    earlier = (EarlierFile(Path("own"), 10),)
    fork = replace(NEW, info=replace(NEW.info, cwd="/elsewhere"), earlier=earlier)
    session = Session("s", "notes", "terminal", "adopted", "/proj", "proj", NOON, NOON)
    assert free(session, [fork], (), forked=Path("own")) == [fork]
    assert free(session, [fork], ("new",), forked=Path("own")) == []
    assert free(session, [fork], (), forked=Path("another")) == []


@pytest.mark.parametrize(
    ("cwd", "began", "is_candidate"),
    [
        ("beside", 1, True),
        ("beside", -1, False),
        ("another", 1, False),
        ("beside", None, False),
        ("proj/below", 1, False),
    ],
)
def test_one_that_began_in_another_working_tree_may_be_its_own(tmp_path, cwd, began, is_candidate):
    for name in ("proj", "another"):
        (tmp_path / name / ".git" / "worktrees" / "beside").mkdir(parents=True)
    (tmp_path / "beside").mkdir()
    link = tmp_path / "proj" / ".git" / "worktrees" / "beside"
    (tmp_path / "beside" / ".git").write_text(f"gitdir: {link}\n")
    session = Session("s", "notes", "terminal", "adopted", str(tmp_path / "proj"), "p", NOON, NOON)
    info = replace(
        NEW.info, cwd=str(tmp_path / cwd), started_at=None if began is None else at(began)
    )
    elsewhere = replace(NEW, info=info)
    assert free(session, [elsewhere], (), worktrees=True) == [elsewhere] * is_candidate
    assert free(session, [elsewhere], ()) == []


ASKED, ANSWERED = ("user", "remember the milk"), ("assistant", "I have heard of the milk")
LONG = "\n".join(f"- line {number} of many" for number in range(60))


@pytest.mark.parametrize(
    ("words", "screen", "follows"),
    [
        ((ASKED, ANSWERED), "> remember the milk\nI have heard of the milk\n>", True),
        (
            (("user", "and before that"), ASKED, ANSWERED),
            "remember the milk\nI have heard of the milk",
            True,
        ),
        ((ASKED, ("assistant", LONG)), LONG[-300:], True),
        ((ASKED, ANSWERED), "Welcome back!\nRecent activity: remember the milk", False),
        ((ASKED, ANSWERED), "I have heard of the milk", False),
        ((ASKED, ANSWERED, ("user", "and the bread")), "remember the milk", False),
        ((("user", "go on"), ("assistant", "Done.")), "go on\nDone.", False),
        ((), "remember the milk", False),
    ],
)
def test_an_older_conversation_was_taken_up_when_the_screen_shows_its_end(words, screen, follows):
    found = taken_up([NEW], screen, [], lambda _: words)
    assert found is (NEW if follows else None)


def test_an_end_that_another_session_or_conversation_shows_as_well_tells_nothing():
    screen = "remember the milk\nI have heard of the milk"
    twin = transcript("twin", 63)
    words = {NEW: (ASKED, ANSWERED), twin: (ASKED, ("assistant", "I do not know of any"))}
    assert taken_up([NEW, twin], screen, ["> remember the milk"], words.__getitem__) is NEW
    assert taken_up([NEW, twin], screen, [f"x {screen}"], words.__getitem__) is None
    words[twin] = words[NEW]
    assert taken_up([NEW, twin], screen, [], words.__getitem__) is None
    words[twin] = (("user", "remember the bread"), *words[NEW])
    assert taken_up([NEW, twin], f"remember the bread\n{screen}", [], words.get) is twin
