"""Questions of the model and forms of MCP servers: every kind of answer arrives."""

from __future__ import annotations

import json

import pytest
from clawtap_codex.live import turns
from question_scenarios import chooses_none_of_labels_that_read_alike

NONE = "None of the above"


def answers(talk):
    (output,) = talk.outputs()
    return {name: each["answers"] for name, each in json.loads(output)["answers"].items()}


def ask(talk, *names):
    choices = [turns.choice(f"Which {name} is it?", "Alpha", "Beta", name=name) for name in names]
    return talk.do(turns.ask(*choices))


@pytest.mark.parametrize("label", ["Alpha", "Beta", NONE])
def test_an_option_is_chosen(talk, label):
    prompt = ask(talk, "way")
    assert prompt["type"] == "question"
    (question,) = prompt["questions"]
    assert question["question"] == "Which way is it?"
    assert [each["label"] for each in question["options"]] == ["Alpha", "Beta", NONE]
    assert talk.answer(prompt, {"0": label}).status == 200
    assert answers(talk) == {"way": [label]}
    talk.finish()


@pytest.mark.parametrize(
    "label",
    [f"src/{'very-long-name/' * 9}b.py", "⚠\ufe0f Careful", "把旧的订单都迁移到新的数据库" * 5],
)
def test_an_option_is_chosen_by_the_label_that_the_model_wrote(talk, label):
    prompt = talk.do(turns.ask(turns.choice("Which one?", f"Not {label}", label)))
    assert talk.answer(prompt, {"0": label}).status == 200
    assert answers(talk) == {"choice": [label]}
    talk.finish()


def test_an_answer_of_ones_own_goes_into_the_notes(talk):
    prompt = ask(talk, "own")
    assert prompt["questions"][0]["other"]
    assert talk.answer(prompt, {"0": "quite another one"}).status == 200
    assert answers(talk) == {"own": [NONE, "user_note: quite another one"]}
    talk.finish()


def test_an_answer_of_ones_own_is_taken_where_the_row_for_it_was_out_of_sight(own):
    talk = own(cols=100, rows=14)
    talk.idle(60)
    towns = [f"Town number {number} of the long list" for number in range(14)]
    prompt = talk.do(turns.ask(turns.choice("Which one?", *towns)))
    # The pane shows a part of the list; its call has the others.
    (question,) = prompt["questions"]
    assert [option["label"] for option in question["options"]] == [*towns, NONE]
    assert question["other"]
    assert talk.answer(prompt, {"0": "a village"}).status == 200
    assert answers(talk) == {"choice": [NONE, "user_note: a village"]}
    talk.finish()


@pytest.mark.parametrize("words", ["3. three", "1. Alpha", "?", "? what for"])
def test_an_answer_of_ones_own_may_begin_like_a_row_or_a_command(talk, words):
    assert talk.answer(ask(talk, "own"), {"0": words}).status == 200
    assert answers(talk) == {"own": [NONE, f"user_note: {words}"]}
    talk.finish()
    note = {"answers": {"0": "Beta"}, "notes": {"0": words}}
    assert talk.respond(ask(talk, "note"), **note).status == 200
    assert answers(talk) == {"note": ["Beta", f"user_note: {words}"]}
    talk.finish()


@pytest.mark.parametrize("label", [NONE, "Beta"])
def test_words_that_the_cli_would_fold_arrive_whole(talk, label):
    words = " ".join(f"word{number}" for number in range(200))
    prompt = ask(talk, "long")
    own = {"answers": {"0": words}}
    given = own if label == NONE else {"answers": {"0": label}, "notes": {"0": words}}
    reply = talk.respond(prompt, **given)
    assert reply.status == 200, (reply, talk.seat.text())
    assert answers(talk) == {"long": [label, f"user_note: {words}"]}
    talk.finish()


def test_a_reason_is_the_note_of_an_option(talk):
    prompt = ask(talk, "note")
    given = {"answers": {"0": "Beta"}, "reason": "keep it small"}
    assert talk.respond(prompt, **given).status == 200
    assert answers(talk) == {"note": ["Beta", "user_note: keep it small"]}
    talk.finish()


def test_a_note_goes_along_with_an_option_or_an_answer_of_ones_own(talk):
    first = ask(talk, "way", "place")
    assert first["questions"][0]["notes"]
    given = {"0": "Beta", "1": "on the moon"}
    notes = {"0": "keep it\nsmall", "1": "not soon"}
    assert talk.respond(first, answers=given, notes=notes).status == 200
    assert answers(talk) == {
        "way": ["Beta", "user_note: keep it small"],
        "place": [NONE, "user_note: on the moon not soon"],
    }
    talk.finish()


def test_several_questions_are_one_prompt(talk):
    prompt = ask(talk, "one", "two", "three")
    assert len(prompt["questions"]) == 3
    given = {"0": "Beta", "1": "something else", "2": "Alpha"}
    assert talk.answer(prompt, given).status == 200
    expected = {"one": ["Beta"], "two": [NONE, "user_note: something else"], "three": ["Alpha"]}
    assert answers(talk) == expected
    talk.finish()


@pytest.mark.parametrize("changed", ["Beta", "2 more days"])
def test_an_answer_that_the_desk_gave_in_its_own_words_is_changed(talk, changed):
    prompt = ask(talk, "one", "two")
    talk.seat.press("Down", "Down", "Tab")
    talk.seat.type("my own")
    talk.seat.see("my own")
    talk.seat.press("Enter")
    talk.seat.see("Which two is it?")
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    assert talk.answer(prompt, {"0": changed, "1": "Alpha"}).status == 200
    own = changed != "Beta"
    expected = [NONE, f"user_note: {changed}"] if own else [changed]
    assert answers(talk) == {"one": expected, "two": ["Alpha"]}
    talk.finish()


def test_unanswered_questions_are_asked_about(talk):
    prompt = ask(talk, "here", "there")
    talk.seat.press("Right")
    talk.seat.see("Which there is it?")
    talk.seat.press("Enter")
    unanswered = talk.prompt()
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    assert unanswered["title"] == "Submit with unanswered questions?"
    assert talk.respond(unanswered, selectedOption="go-back").status == 200
    again = talk.prompt()
    assert again["questions"][0]["question"] == "Which here is it?"
    assert talk.answer(again, {"0": "Beta"}).status == 200
    assert talk.answer(talk.prompt(), {"0": "Alpha"}).status == 200
    assert answers(talk) == {"here": ["Beta"], "there": ["Alpha"]}
    talk.finish()


def test_unanswered_questions_may_stay_unanswered(talk):
    ask(talk, "near", "far")
    talk.seat.press("Right")
    talk.seat.see("Which far is it?")
    talk.seat.press("Enter")
    unanswered = talk.prompt()
    assert talk.respond(unanswered, selectedOption="proceed").status == 200
    assert answers(talk)["far"] == ["Alpha"]
    talk.finish()


def test_a_question_that_is_denied_ends_the_turn(talk):
    prompt = ask(talk, "side")
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied")
    talk.idle()
    assert "answers" not in str(talk.log.function_responses())


def test_what_is_not_offered_types_nothing(talk):
    prompt = ask(talk, "edge")
    assert talk.answer(prompt, {}).status == 400
    assert talk.respond(prompt, selectedOption="no-such-option").status in (400, 200)
    talk.idle() if not talk.pending() else talk.answer(prompt, {"0": "Alpha"})
    talk.finish()


def allow(talk, prompt):
    """0.169 asks about the tool before the tool asks."""
    if prompt["type"] != "permission":
        return prompt
    assert talk.approve(prompt).status == 200
    return talk.prompt()


def test_a_form_is_filled_field_by_field(talk):
    page = allow(talk, talk.do(turns.mcp(talk.testbed.version, "ask_form")))
    given = {"Channel": "beta", "Notify users": "True", "Version": "1.2.3"}
    for _ in given:
        question = page["questions"][0]
        name = question["header"] or question["question"]
        assert talk.answer(page, {"0": given[name]}).status == 200
        if page["position"]["index"] < page["position"]["total"]:
            page = talk.prompt()
    output = str(talk.outputs()).replace("\\", "")
    for part in ('"channel": "beta"', '"notify": true', '"version": "1.2.3"'):
        assert part in output
    talk.finish()


def test_a_form_is_cancelled(talk):
    page = allow(talk, talk.do(turns.mcp(talk.testbed.version, "ask_form")))
    assert talk.deny(page).status == 200
    assert "cancel" in str(talk.outputs())
    talk.finish()


@pytest.mark.parametrize(
    ("tool", "asks"),
    [
        ("ask_confirm", "Publish release 1.2.3?"),
        # The CLI cannot draw a field of several choices: 0.169 then names one key for two rows.
        ("ask_alike", "Two of one name"),
    ],
)
@pytest.mark.parametrize(("index", "action"), [(0, "accept"), (1, "decline"), (2, "cancel")])
def test_a_form_without_fields_is_decided(talk, tool, asks, index, action):
    prompt = allow(talk, talk.do(turns.mcp(talk.testbed.version, tool)))
    assert asks in prompt["title"] + prompt["description"]
    chosen = prompt["options"][index]["value"]
    assert talk.respond(prompt, selectedOption=chosen).status == 200
    assert action in str(talk.outputs())
    talk.finish()


def asks_for_a_page(talk):
    """The prompt about a page that an MCP server wants to have opened."""
    if talk.testbed.version == "0.116.0":
        pytest.skip("asks as about a form, without the address")
    prompt = talk.do(turns.mcp(talk.testbed.version, "ask_page"))
    assert (prompt["type"], prompt["title"]) == ("question", "Action required")
    assert "Please sign in to the tracker" in prompt["description"]
    assert "https://example.com/sign-in?a=1" in prompt["description"]
    return prompt


@pytest.mark.parametrize(("last", "action"), [("i-finished", "accept"), ("back", "decline")])
def test_a_page_that_a_server_wants_opened_is_opened_and_done(talk, last, action):
    page = asks_for_a_page(talk)
    assert talk.respond(page, selectedOption="open-link").status == 200
    after = talk.prompt()
    assert after["title"] == "Finish in Browser"
    assert talk.respond(after, selectedOption=last).status == 200
    assert action in str(talk.outputs())
    talk.finish()


def test_a_page_that_a_server_wants_opened_is_declined(talk):
    page = asks_for_a_page(talk)
    assert talk.deny(page).body["state"] == "denied"
    assert "decline" in str(talk.outputs())
    talk.finish()


def test_of_labels_that_read_alike_none_is_chosen(talk):
    chooses_none_of_labels_that_read_alike(
        talk, lambda *labels: turns.ask(turns.choice("Which one?", *labels))
    )


def test_long_labels_in_a_low_pane_are_shown_whole_and_chosen(own):
    talk = own(cols=60, rows=10)
    talk.idle(90)
    long = "very long label that goes on and on over several rows until nobody sees its end"
    labels = [f"The {which} {long}" for which in ("first", "second")]
    prompt = talk.do(turns.ask(turns.choice("Which one?", *labels)))
    talk.until(lambda _: not talk.pending()[0].get("truncated"))
    (waits,) = talk.pending()
    offered = [option["label"] for option in waits["questions"][0]["options"]]
    assert offered[:2] == labels
    assert talk.answer(prompt, {"0": labels[1]}).status == 200
    assert [label in str(talk.outputs()) for label in labels] == [False, True]
    talk.finish()
