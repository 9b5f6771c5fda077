"""Questions of Claude Code: one, several, in tabs, with a preview, in words of one's own."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress

import pytest
from clawtap_claude.live import turns
from clilab.desk import NotSeen
from question_scenarios import (
    chooses_none_of_labels_that_read_alike,
    leaves_pages_at_the_desk,
    starts_without_transcripts,
)

DATABASE = turns.choice("Which database?", "PostgreSQL", "SQLite", header="Database")
FEATURES = turns.choice("Which features?", "Login", "Search", "Export", header="F", multi=True)
DEPLOY = turns.choice("Deploy now?", "Yes", "Later", header="Deploy")


def warmed(talk):
    """One turn of talk: servers of tools are met while the CLI is already idle."""
    talk.play()
    talk.say()
    talk.finish()


def answered(talk, count=1):
    return str(talk.outputs(count)[-1])


def test_an_option_is_chosen(talk):
    prompt = talk.do(turns.ask(DATABASE))
    assert prompt["type"] == "question"
    (question,) = prompt["questions"]
    assert (question["header"], question["question"]) == ("Database", "Which database?")
    assert question["other"] is True
    assert talk.answer(prompt, {"0": "SQLite"}).status == 200
    assert '"Which database?"="SQLite"' in answered(talk).replace("\\", "")
    talk.finish()


def test_an_option_that_is_nothing_but_an_emoji_is_chosen(talk):
    prompt = talk.do(turns.ask(turns.choice("Which one?", "❤\ufe0f", "👎")))
    assert talk.answer(prompt, {"0": "❤\ufe0f"}).status == 200
    assert '"Which one?"="❤' in answered(talk).replace("\\", "")
    talk.finish()


def test_an_option_is_chosen_while_the_desk_is_at_the_row_below_the_list(talk):
    prompt = talk.do(turns.ask(DATABASE))
    # A list that was just painted takes no keys yet.
    for _ in range(8):
        with suppress(NotSeen):
            talk.seat.see("❯ 4. Chat about this", seconds=1)
            break
        talk.seat.press("Down")
    talk.seat.see("❯ 4. Chat about this", seconds=1)
    assert talk.answer(prompt, {"0": "SQLite"}).status == 200
    assert '"Which database?"="SQLite"' in answered(talk).replace("\\", "")
    talk.finish()


def test_words_of_ones_own_are_an_answer(talk):
    prompt = talk.do(turns.ask(DATABASE))
    reply = talk.answer(prompt, {"0": "Maria 2, please"})
    assert reply.status == 200, reply
    assert "Maria 2, please" in answered(talk)
    talk.finish()


@pytest.mark.parametrize("labels", [[], ["Search"]], ids=["alone", "with-an-option"])
def test_words_of_ones_own_are_among_several_answers(talk, labels):
    prompt = talk.do(turns.ask(FEATURES))
    reply = talk.answer(prompt, {"0": [*labels, "a dark theme"]})
    assert reply.status == 200, reply
    chosen = ", ".join([*labels, "a dark theme"])
    assert f'"Which features?"="{chosen}"' in answered(talk).replace("\\", "")
    talk.finish()


@pytest.mark.parametrize("multi", [False, True])
def test_words_of_ones_own_that_the_field_wraps_earlier_than_a_label_are_an_answer(talk, multi):
    # In 120 columns the second word would have fitted on the first row of a label. Among several
    # answers 2.1.85 draws the row too far left.
    words = f"{'x' * (105 if multi else 109)} fives and so on"
    prompt = talk.do(turns.ask(turns.choice("Which way?", "Left", "Right", multi=multi)))
    reply = talk.answer(prompt, {"0": words})
    assert reply.status == 200, reply
    assert f'"Which way?"="{words}"' in answered(talk).replace("\\", "")
    talk.finish()


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize("words", ["Type something.", "Type something"])
def test_words_that_read_like_the_hint_of_the_field_are_an_answer(talk, words, multi):
    prompt = talk.do(turns.ask(turns.choice("Which way?", "Left", "Right", multi=multi)))
    reply = talk.answer(prompt, {"0": words})
    assert reply.status == 200, reply
    assert f'"Which way?"="{words}"' in answered(talk).replace("\\", "")
    talk.finish()


NAMED_LIKE_ROWS = ("Chat about this", "Plain", "Type something.")
NAMED_LIKE_BOXES = ("[ ] Alpha", "[x] Beta", "[✔] Gamma")


@pytest.mark.parametrize("multi", [False, True])
@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (NAMED_LIKE_ROWS, "Chat about this"),
        (NAMED_LIKE_ROWS, "Type something."),
        (NAMED_LIKE_ROWS[::-1], "Chat about this"),
        (NAMED_LIKE_BOXES, "[ ] Alpha"),
        (NAMED_LIKE_BOXES, "[x] Beta"),
    ],
)
def test_an_option_may_be_named_like_a_row_of_the_cli(talk, labels, label, multi):
    prompt = talk.do(turns.ask(turns.choice("Which way?", *labels, multi=multi)))
    aside = "5. Chat about this" if "Chat about this" in labels else "Chat about this"
    offered = [option["label"] for option in prompt["questions"][0]["options"]]
    assert offered == [*labels, aside]
    reply = talk.answer(prompt, {"0": label})
    assert reply.status == 200, (reply, talk.seat.text())
    assert f'"Which way?"="{label}"' in answered(talk).replace("\\", "")
    talk.finish()


def test_to_chat_about_a_question_that_has_an_option_of_this_name_is_no_answer(talk):
    prompt = talk.do(turns.ask(turns.choice("Which way?", *NAMED_LIKE_ROWS)))
    reply = talk.answer(prompt, {"0": "5. Chat about this"})
    assert reply.status == 200, (reply, talk.seat.text())
    assert "clarify" in answered(talk)
    talk.idle()


def test_to_chat_about_it_is_no_answer(talk):
    prompt = talk.do(turns.ask(DATABASE))
    assert talk.answer(prompt, {"0": "Chat about this"}).status == 200
    assert "clarify" in answered(talk)
    talk.idle()


def test_a_question_is_refused(talk):
    prompt = talk.do(turns.ask(DATABASE))
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    talk.idle()


def test_several_options_are_ticked(talk):
    prompt = talk.do(turns.ask(FEATURES))
    assert prompt["questions"][0]["multiSelect"] is True
    reply = talk.answer(prompt, {"0": ["Login", "Export"]})
    assert reply.status == 200, reply
    assert "Login, Export" in answered(talk)
    talk.finish()


def test_what_the_desk_has_ticked_and_begun_to_write_is_no_part_of_the_answer(talk):
    prompt = talk.do(turns.ask(FEATURES))
    for key in ("Space", "Down", "Down", "Down"):
        talk.seat.press(key)
    talk.seat.see("❯ 4. [ ] Type something")
    for letter in "half a thought":  # 2.1.85 shows the first of them late
        talk.seat.type(letter)
    talk.seat.see("a thought")
    # To the row that goes on, where digits tick nothing.
    talk.seat.press("Tab")
    talk.seat.see("❯    Submit")
    reply = talk.answer(prompt, {"0": ["Search"]})
    assert reply.status == 200, reply
    assert '"Which features?"="Search"' in answered(talk).replace("\\", "")
    talk.finish()


def test_an_option_may_read_like_the_ones_that_send_the_answers(talk):
    labels = ("Cancel", "Submit answers", "Next")
    prompt = talk.do(turns.ask(turns.choice("Which way?", *labels, multi=True)))
    reply = talk.answer(prompt, {"0": ["Cancel", "Next"]})
    assert reply.status == 200, reply
    assert '"Which way?"="Cancel, Next"' in answered(talk).replace("\\", "")
    talk.finish()


@pytest.mark.parametrize("words", ["Dark mode 2", "Mode e\u0301te\u0301", "a\u0308"])
def test_several_options_and_words_of_ones_own(talk, words):
    prompt = talk.do(turns.ask(FEATURES))
    reply = talk.answer(prompt, {"0": ["Search", words]})
    assert reply.status == 200, reply
    said = unicodedata.normalize("NFC", answered(talk))
    assert "Search" in said
    assert unicodedata.normalize("NFC", words) in said
    talk.finish()


def test_questions_in_tabs_are_one_prompt_once_the_transcript_has_all(talk):
    prompt = talk.do(turns.ask(DATABASE, FEATURES, DEPLOY))
    talk.until(lambda _: len(talk.pending()[0]["questions"]) == 3)
    (whole,) = talk.pending()
    assert whole["requestId"] == prompt["requestId"]
    assert "position" not in whole
    reply = talk.answer(whole, {"0": "PostgreSQL", "1": ["Login", "Search"], "2": "in an hour"})
    assert reply.status == 200, reply
    said = answered(talk)
    assert all(words in said for words in ("PostgreSQL", "Login, Search", "in an hour"))
    talk.finish()


@pytest.fixture
def unwritten(testbed, own):
    """A session of whose calls no transcript tells."""
    cwd = testbed.project()
    transcripts = testbed.home / ".claude" / "projects" / re.sub(r"\W", "-", str(cwd))
    return starts_without_transcripts(own, cwd, transcripts)


def asks(prompt):
    return [question["question"] for question in prompt["questions"]]


def test_questions_are_asked_one_by_one_while_the_cli_has_not_written_its_call(unwritten):
    first = unwritten.do(turns.ask(DATABASE, DEPLOY))
    assert asks(first) == ["Which database?"]
    assert unwritten.answer(first, {"0": "SQLite"}).status == 200
    second = unwritten.prompt()
    assert asks(second) == ["Deploy now?"]
    assert unwritten.answer(second, {"0": "Later"}).status == 200
    unwritten.finish()
    model_saw = answered(unwritten).replace("\\", "")
    assert '"Which database?"="SQLite"' in model_saw
    assert '"Deploy now?"="Later"' in model_saw


@pytest.mark.parametrize(
    ("key", "outcome"), [("2", "answered_elsewhere"), ("Right", "cancelled")], ids=str
)
def test_a_question_that_the_desk_leaves_was_answered_there_only_if_it_was(unwritten, key, outcome):
    turn = turns.ask(DATABASE, DEPLOY)
    leaves_pages_at_the_desk(
        unwritten, turn, key, outcome, then="Deploy now?", review="Review your answers"
    )


def test_an_option_with_a_preview_is_chosen(talk):
    layout = turns.choice("Which layout?", "Cards", "Rows", header="Layout", preview="+--+\n|  |")
    prompt = talk.do(turns.ask(layout))
    offered = prompt["questions"][0]["options"]
    assert [each["label"] for each in offered] == ["Cards", "Rows", "Chat about this"]
    assert "+--+" in offered[0]["preview"]
    assert talk.answer(prompt, {"0": "Rows"}).status == 200
    assert "Rows" in answered(talk)
    talk.finish()


def test_in_a_low_pane_an_option_beside_a_cut_preview_is_chosen(own):
    talk = own(cols=60, rows=15)
    talk.idle(60)
    asked = "Which of these long ones would you like to have here, and which of them not?"
    way = turns.choice(
        asked, "North", "East", "South", "West", header="Way", preview="+--+\n|ab|\n+--+"
    )
    prompt = talk.do(turns.ask(way, DEPLOY))
    reply = talk.answer(prompt, {"0": "South", "1": "Later"})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    assert "South" in str(output)
    assert "Later" in str(output)
    talk.finish()


def test_a_form_of_an_mcp_server_is_filled_in(own):
    talk = own()
    talk.idle(60)
    warmed(talk)
    prompt = talk.do(*turns.mcp("ask_form"))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    assert [each["header"] for each in prompt["questions"]][:2] == ["Version", "Channel"]
    reply = talk.answer(prompt, {"0": "1.2.3", "1": "beta", "2": "yes"})
    assert reply.status == 200, reply
    said = answered(talk).replace("\\", "")
    assert '"version": "1.2.3"' in said
    assert '"channel": "beta"' in said
    assert '"notify": true' in said
    talk.finish()


def test_a_form_of_an_mcp_server_is_declined(own):
    talk = own()
    talk.idle(60)
    warmed(talk)
    prompt = talk.do(*turns.mcp("ask_form"))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    assert "decline" in answered(talk)
    talk.finish()


LOW = "Which way is it, when all is said and done and the day has ended? " * 2
WAYS = ("Alpha way that is rather long for a low pane", "Beta", "Gamma", "Delta rho")


@pytest.mark.parametrize("answer", [WAYS[0], "Gamma", "Delta rho", "none of them", "Beta, late"])
def test_in_a_low_pane_the_list_scrolls_to_the_answer(own, answer):
    talk = own(cols=60, rows=15)
    talk.idle(90)
    prompt = talk.do(turns.ask(turns.choice(LOW, *WAYS)))
    if answer.endswith(", late"):
        # The desk has gone to the end of the list.
        answer = answer.removesuffix(", late")
        talk.seat.press(*["Down"] * 5)
    assert talk.answer(prompt, {"0": answer}).status == 200
    assert f'"="{answer}"' in answered(talk).replace("\\", "")
    talk.finish()


@pytest.mark.parametrize("late", [False, True])
def test_in_a_low_pane_every_row_is_ticked_that_was_chosen(own, late):
    talk = own(cols=60, rows=15)
    talk.idle(90)
    prompt = talk.do(turns.ask(turns.choice(LOW, *WAYS, multi=True)))
    if late:
        talk.seat.press(*["Down"] * 5)
    chosen = [WAYS[0], "Delta rho", "and one more"]
    assert talk.answer(prompt, {"0": chosen}).status == 200
    # Older versions list them in the order in which they were ticked.
    _, _, said = answered(talk).replace("\\", "").partition('"="')
    assert sorted(said.partition('"')[0].split(", ")) == sorted(chosen)
    talk.finish()


LAYOUT = turns.choice("Which layout?", "Cards", "Rows", header="Layout", preview="+--+\n|  |")


def write_notes(talk, written):
    """Open the notes of the preview and write; what comes before they take keys is lost."""
    for _ in range(10):
        talk.seat.press("n")
        with suppress(NotSeen):
            talk.seat.see("Add notes", seconds=5)
            break
    for _ in range(10 if written else 0):
        talk.seat.type(written[:1])
        with suppress(NotSeen):
            talk.seat.see(f"Notes: {written[:1]}", seconds=5)
            talk.seat.type(written[1:])
            talk.seat.see(f"Notes: {written}")
            return


@pytest.mark.parametrize("written", ["", "wider, please"])
def test_notes_that_the_desk_has_begun_are_no_part_of_the_answer(talk, written):
    prompt = talk.do(turns.ask(LAYOUT))
    write_notes(talk, written)
    reply = talk.answer(prompt, {"0": "Rows"})
    assert reply.status == 200, reply
    said = answered(talk)
    assert '"Which layout?"="Rows"' in said.replace("\\", "")
    assert "wider" not in said
    talk.finish()


def test_a_question_is_refused_though_the_desk_writes_notes(talk):
    prompt = talk.do(turns.ask(LAYOUT))
    write_notes(talk, "wider, please")
    reply = talk.deny(prompt)
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    talk.idle()


def test_the_reason_for_refusing_a_question_is_the_next_message(talk):
    prompt = talk.do(turns.ask(DATABASE))
    reply = talk.deny(prompt, reason="ask me tomorrow")
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    assert talk.log.wait(lambda log: log.times_said("ask me tomorrow") == 1, 60)
    talk.finish()


def test_questions_whose_text_has_left_a_low_pane_are_answered(own):
    talk = own(cols=80, rows=15)
    talk.idle(60)
    way = turns.choice("Which way?", "North", "East", "South", "West", header="Way")
    prompt = talk.do(turns.ask(way, DEPLOY))
    reply = talk.answer(prompt, {"0": "West", "1": "Later"})
    assert reply.status == 200, (reply, talk.seat.text())
    (output,) = talk.outputs()
    assert "West" in str(output)
    assert "Later" in str(output)
    talk.finish()


def test_of_labels_that_read_alike_none_is_chosen(talk):
    chooses_none_of_labels_that_read_alike(
        talk, lambda *labels: turns.ask(turns.choice("Which one?", *labels))
    )
