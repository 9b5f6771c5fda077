"""Accents that are characters of their own, as in macOS's file names: terminals compose them."""

from __future__ import annotations

import unicodedata

import pytest
from every_cli import on_every_version

pytestmark = on_every_version

# The second is the first with a letter more: what is left without its accents is not enough.
COFFEE, TEA = (unicodedata.normalize("NFD", text) for text in ("Café noir", "Café noiré"))


@pytest.mark.parametrize("at", [0, 1])
def test_an_option_with_them_is_chosen_by_its_label(testbed, own, at):
    turns = testbed.cli.turns
    talk = own()
    talk.idle(90)
    if testbed.cli.name == "copilot":
        asks = turns.form("Please choose.", drink=turns.one_of("Which drink?", COFFEE, TEA))
    else:
        asks = turns.ask(turns.choice("Which drink?", COFFEE, TEA))
    prompt = talk.do(asks)
    options = prompt["questions"][0]["options"] if prompt["questions"] else prompt["options"]
    reply = talk.answer(prompt, {"0": options[at]["label"]})
    assert reply.status == 200, (reply, talk.seat.text())
    said = unicodedata.normalize("NFC", str(talk.outputs()[-1]))
    chosen = unicodedata.normalize("NFC", (COFFEE, TEA)[at])
    assert chosen in said
    assert at or f"{chosen}é" not in said
    talk.finish()


def test_a_command_with_them_is_one_prompt(testbed, own):
    name = unicodedata.normalize("NFD", "été.txt")
    talk = own()
    talk.idle(90)
    prompt = talk.do(testbed.cli.turns.shell(f"touch {name} && ls"))
    assert talk.approve(prompt).status == 200
    talk.finish()
    assert (talk.cwd / name).exists()
    asked = [e for e in talk.journal() if e["type"] in ("approval_required", "question_prompt")]
    assert len(asked) == 1, asked
