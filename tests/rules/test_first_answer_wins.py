"""Rules 2 and 6: the first answer wins, at the desk or elsewhere; the others get a 409."""

from __future__ import annotations

import os
import signal
import threading

from demo_testbed import DEMO_PAINTS_SOON, until

from clawtap_core.errors import ClawTapError


def all_at_once(calls):
    """What each call gave or raised."""
    outcomes, gate = [], threading.Barrier(len(calls))

    def run(call):
        gate.wait()
        try:
            outcomes.append(call())
        except ClawTapError as error:
            outcomes.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def test_of_many_answers_one_is_typed(demo):
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    options = [option.value for option in prompt.form.options]
    outcomes = all_at_once(
        [lambda n=n: talk.answer(prompt, options[n % 3], by=f"user{n}") for n in range(12)]
    )
    won = [each for each in outcomes if not isinstance(each, ClawTapError)]
    lost = [each for each in outcomes if isinstance(each, ClawTapError)]
    assert len(won) == 1
    assert {error.status for error in lost} == {409}
    talk.prompt(prompt)
    chosen = won[0].resolution.response.selected_option
    label = prompt.form.option(chosen).label
    assert talk.decided() == [([label], "")]


def test_a_late_answer_learns_who_was_first_and_types_nothing(demo):
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    talk.answer(prompt, "yes-run-it", by="ann")
    keys = talk.keys()
    error = talk.refused(prompt, "no-don-t-run-it", by="bob")
    assert (error.status, error.code) == (409, "already_answered")
    assert error.details["by"] == "ann"
    assert error.details["selectedOption"] == "yes-run-it"
    assert error.details["at"]
    assert talk.keys() == keys


def test_an_answer_at_the_desk_is_answered_elsewhere(demo):
    talk = demo.show("permission", "loop")
    prompt = talk.prompt()
    talk.press("Down", "Down", "Enter")
    ended = talk.ended(prompt)
    assert ended.state.value == "answered_elsewhere"
    assert ended.resolution.response is None
    assert talk.refused(prompt, "yes-run-it").code == "already_answered"
    until(lambda: talk.keys() == ["Down", "Down", "Enter"])


def test_the_desk_and_a_phone_at_once_make_one_decision(demo):
    """Whose key came first, a screen cannot tell when both come within its redraw: one decides."""
    talk = demo.start(*demo.script([{"run": f"step {n}"} for n in range(6)]))
    met = []
    for _ in range(6):
        met.append(talk.prompt(*met))
        all_at_once([lambda: talk.press("y"), lambda: talk.answer(met[-1], "no-don-t-run-it")])
        until(lambda: len(talk.decided()) >= len(met))
        assert talk.ended(met[-1]).state.value in ("denied", "answered_elsewhere")
        assert len(talk.decided()) == len(met)
    assert len({prompt.request_id for prompt in met}) == 6


def test_a_key_of_the_desk_that_the_cli_reads_late_is_not_followed_by_ours(demo):
    """It would read both at once, and ours would answer the next prompt, which nobody saw."""
    talk = demo.adopt(*demo.desk("--show", "permission,loop", child_of_shell=True))
    prompt = talk.prompt()
    agent = talk.pid_below_shell
    os.kill(agent, signal.SIGSTOP)
    talk.press("y")
    goes_on = threading.Timer(4 * DEMO_PAINTS_SOON.key_shows, os.kill, (agent, signal.SIGCONT))
    goes_on.start()
    error = talk.refused(prompt, "yes-run-it")
    goes_on.join()
    assert (error.status, error.code) == (409, "prompt_changed")
    assert talk.prompt(prompt).form.kind.value == "loop-detected"
    assert (talk.keys(), talk.decided()) == (["y"], [(["Yes, run it"], "")])


def test_two_sessions_at_once_do_not_meet(demo):
    one, two = demo.show("permission", "loop"), demo.show("edit", "loop")
    first, second = one.prompt(), two.prompt()
    outcomes = all_at_once(
        [lambda: one.answer(first, "yes-run-it"), lambda: two.answer(second, decision="deny")]
    )
    assert {each.state.value for each in outcomes} == {"answered", "denied"}
    assert one.decided() == [(["Yes, run it"], "")]
    assert two.decided() == [(["No, leave the file as it is"], "")]
    assert one.refused(second, "yes-run-it").status == 404
