"""Rule 13: start-up dialogs are put away once where ClawTap started the CLI, else asked."""

from __future__ import annotations

from demo_testbed import DemoSession, until


def test_a_tip_is_put_away_once_and_asked_the_second_time(demo):
    talk = demo.show("nudge", "nudge")
    prompt = talk.prompt()
    assert prompt.form.dialog == "editor-nudge"
    assert talk.decided() == [(["Not now"], "")]
    (reported,) = {event.data["option"] for event in talk.recorded("dialog_dismissed")}
    assert reported == "not-now"


def test_it_is_not_put_away_again_after_a_restart(empty_room):
    demo = empty_room
    demo.open()
    talk = demo.show("nudge", "permission", "nudge")
    prompt = talk.prompt()
    demo.close()
    demo.open()
    talk = DemoSession(demo, talk.id, talk.log)
    talk.answer(talk.pending()[0], "yes-run-it")
    assert talk.prompt(prompt).form.dialog == "editor-nudge"
    assert len(talk.decided()) == 2


def test_nothing_is_put_away_in_an_adopted_pane(demo):
    pane, log = demo.desk("--show", "nudge")
    talk = demo.adopt(pane, log)
    assert talk.prompt().form.dialog == "editor-nudge"
    assert talk.decided() == []


def test_trust_is_asked(demo):
    talk = demo.show("trust", "loop")
    prompt = talk.prompt()
    assert prompt.form.dialog == "folder-trust"
    talk.answer(prompt, decision="approve")
    assert talk.prompt(prompt).form.kind.value == "loop-detected"


def test_trust_is_given_where_the_settings_say_always(empty_room):
    empty_room.open(trust_folders="always")
    talk = empty_room.show("trust", "loop")
    assert talk.prompt().form.kind.value == "loop-detected"
    assert talk.decided() == [(["Yes, I trust it"], "")]


def test_trust_of_an_adopted_pane_is_asked_whatever_the_settings_say(empty_room):
    empty_room.open(trust_folders="always")
    pane, log = empty_room.desk("--show", "trust")
    assert empty_room.adopt(pane, log).prompt().form.dialog == "folder-trust"


def test_a_first_message_waits_behind_the_dialogs(demo):
    talk = demo.start("--show", "nudge,trust", "--wait")
    talk.state("idle")
    talk.transport.message(talk.id, "begin")
    prompt = talk.prompt()
    assert prompt.form.dialog == "folder-trust"
    assert talk.transport.message(talk.id, "next").status == "queued"
    talk.answer(prompt, decision="approve")
    until(lambda: talk.messages() == ["begin", "next"])
