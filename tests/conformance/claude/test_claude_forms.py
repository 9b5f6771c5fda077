"""Forms of MCP servers in Claude Code: every type of field, long ones, and what is not taken."""

from __future__ import annotations

import json

import pytest
from clawtap_claude.live import turns

LONG = "".join(f"word{at:02d} " for at in range(43)).strip()


@pytest.fixture
def warm(talk):
    """After one turn of talk: servers of tools are met while the CLI is already idle."""
    talk.play()
    talk.say()
    talk.finish()
    return talk


def form(talk, tool):
    prompt = talk.do(*turns.mcp(tool))
    if prompt["type"] == "permission":
        assert talk.approve(prompt).status == 200
        prompt = talk.prompt()
    return prompt


def keyed(prompt, **given):
    at = {question["header"]: str(index) for index, question in enumerate(prompt["questions"])}
    return {at[name]: answer for name, answer in given.items()}


def content(talk):
    """What the server got."""
    (part,) = talk.outputs()[-1]
    return json.loads(part["text"])["content"]


def test_fields_of_every_type_are_filled_in(warm):
    prompt = form(warm, "ask_everything")
    given = {"Name": "Ann", "Count": "42", "Ratio": "-1.5", "Urgent": "yes", "Loud": "no"}
    given |= {"Colour": "dark grey", "Mail": "a@b.de", "Note": "fresh"}
    # The list of colours, while it is open, pushes other fields out of sight.
    reply = warm.answer(prompt, keyed(prompt, **given))
    assert reply.status == 200, reply
    assert content(warm) == {
        "name": "Ann",
        "count": 42,
        "ratio": -1.5,
        "urgent": True,
        "loud": False,
        "colour": "dark grey",
        "mail": "a@b.de",
        "note": "fresh",
    }
    warm.finish()


def test_a_switch_that_is_not_set_is_set_to_no(warm):
    prompt = form(warm, "ask_everything")
    reply = warm.answer(prompt, keyed(prompt, Name="Ann", Urgent="no"))
    assert reply.status == 200, reply
    assert content(warm)["urgent"] is False
    warm.finish()


@pytest.mark.parametrize("field", ["Name", "Note"])
def test_long_words_fill_a_field(warm, field):
    prompt = form(warm, "ask_everything")
    reply = warm.answer(prompt, keyed(prompt, **{"Name": "Ann", field: LONG}, Mail="a@b.de"))
    assert reply.status == 200, reply
    filled = content(warm)
    assert (filled[field.lower()], filled["mail"]) == (LONG, "a@b.de")
    warm.finish()


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("Count", "1000", "between 1 and 99"),
        ("Count", "many", "integer"),
        ("Mail", "nomail", "email"),
        ("Colour", "pink", "pink"),
        ("Urgent", "perhaps", "perhaps"),
    ],
)
def test_a_value_that_the_form_does_not_take_is_refused_with_its_words(warm, field, value, why):
    prompt = form(warm, "ask_everything")
    reply = warm.answer(prompt, keyed(prompt, Name="Ann", **{field: value}))
    assert (reply.status, reply.body["code"]) == (422, "cannot_answer"), reply
    assert field in reply.body["error"]
    assert why in reply.body["error"]
    (again,) = warm.pending()
    assert again["requestId"] == prompt["requestId"]
    # Nothing of it stands in the way of the next answer.
    reply = warm.answer(again, keyed(again, Name="Bob"))
    assert reply.status == 200, reply
    filled = content(warm)
    assert (filled["name"], field.lower() in filled) == ("Bob", False)
    warm.finish()


def test_a_form_that_is_longer_than_the_pane_is_filled_in(warm):
    prompt = form(warm, "ask_many")
    if prompt.get("moreOptions"):
        whole = warm.post("expand", requestId=prompt["requestId"])
        assert whole.status == 200, (whole, warm.seat.text())
        prompt = whole.body
    assert len(prompt["questions"]) == 20
    given = {f"Field {at}": f"value {at}" for at in (1, 2, 9, 17, 20)}
    reply = warm.answer(prompt, keyed(prompt, **given))
    assert reply.status == 200, reply
    assert content(warm) == {f"field{at}": f"value {at}" for at in (1, 2, 9, 17, 20)}
    warm.finish()


def test_fields_of_one_name_are_told_apart(warm):
    prompt = form(warm, "ask_alike")
    assert [each["header"] for each in prompt["questions"]] == ["Name", "Name", "Tags", "Day"]
    reply = warm.answer(prompt, {"0": "Ann", "1": "Bob", "2": "new, odd", "3": "2026-11-26"})
    assert reply.status == 200, reply
    filled = content(warm)
    assert filled.pop("tags") == ["new", "odd"]
    assert filled == {"first": "Ann", "second": "Bob", "day": "2026-11-26"}
    warm.finish()


@pytest.mark.parametrize("cols", [120, 60])
def test_a_page_of_a_server_is_opened_and_not_waited_for(warm, cols):
    warm.seat.resize(cols, 40)
    prompt = form(warm, "ask_page")
    assert prompt["title"] == "MCP server “lab” wants to open a URL"
    assert "Please sign in to the tracker" in prompt["description"]
    assert "https://example.com/sign-in?a=1" in prompt["description"]
    reply = warm.approve(prompt)
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    # The server hears of it at once, and the page stays until it says that it is done.
    waits = warm.prompt()
    (skip,) = waits["options"]
    assert warm.respond(waits, selectedOption=skip["value"]).status == 200
    assert json.loads(warm.outputs()[-1][0]["text"])["action"] == "accept"
    warm.finish()


def test_a_page_of_a_server_is_not_opened(warm):
    reply = warm.deny(form(warm, "ask_page"))
    assert (reply.status, reply.body["state"]) == (200, "denied"), reply
    assert json.loads(warm.outputs()[-1][0]["text"])["action"] == "decline"
    warm.finish()


@pytest.fixture
def scrolls(warm):
    """A session whose lists scroll: 2.1.85 draws them whole, and what is above leaves the pane."""
    if not warm.testbed.new:
        pytest.skip("its lists do not scroll")
    return warm


def whole_list(talk, tool):
    """Return a form whose list is longer than the pane, with all that it offers."""
    prompt = form(talk, tool)
    whole = talk.post("expand", requestId=prompt["requestId"])
    assert whole.status == 200, (whole, talk.seat.text())
    (question,) = whole.body["questions"]
    assert [each["label"] for each in question["options"]] == [f"town {at}" for at in range(1, 31)]
    return whole.body


@pytest.mark.parametrize("town", ["town 2", "town 24", "town 30"])
def test_a_list_that_is_longer_than_the_pane_is_read_and_answered(scrolls, town):
    prompt = whole_list(scrolls, "ask_long_list")
    reply = scrolls.answer(prompt, {"0": town})
    assert reply.status == 200, (reply, scrolls.seat.text())
    assert content(scrolls) == {"town": town}
    scrolls.finish()


def test_what_a_long_list_does_not_offer_is_refused(scrolls):
    prompt = form(scrolls, "ask_long_list")
    reply = scrolls.answer(prompt, {"0": "nowhere"})
    assert (reply.status, reply.body["code"]) == (422, "cannot_answer"), reply
    assert "town 30" in reply.body["error"]
    reply = scrolls.answer(prompt, {"0": "town 3"})
    assert reply.status == 200, (reply, scrolls.seat.text())
    assert content(scrolls) == {"town": "town 3"}
    scrolls.finish()


def test_boxes_at_both_ends_of_a_long_list_are_ticked(scrolls):
    prompt = whole_list(scrolls, "ask_long_ticks")
    reply = scrolls.answer(prompt, {"0": ["town 2", "town 28"]})
    assert reply.status == 200, (reply, scrolls.seat.text())
    assert content(scrolls) == {"towns": ["town 2", "town 28"]}
    scrolls.finish()
