"""An answer longer than the pane, while it is being written."""

from __future__ import annotations

from every_cli import on_every_version

pytestmark = on_every_version

TREES = ["alder", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak"]
# All rows differ by more than numbers, which a clock would change, too.
LINES = [f"From the {one} to the {other}" for one in TREES[:7] for other in TREES]


def test_the_text_keeps_coming_when_its_beginning_has_left_the_screen(own):
    talk = own()
    talk.idle(90)
    talk.model.play({"parts": [{"text": "\n\n".join(LINES), "split": 20}], "chunk_delay": 0.1})
    before = len(talk.events.seen)
    talk.say("tell me all of it")
    delta = talk.events.wait("text_delta", where=lambda data: LINES[54] in data["text"], seconds=60)
    shown = [line.strip() for line in delta.data["text"].split("\n") if line.strip()]
    assert shown[:55] == LINES[:55]
    # A text that fills the pane is no sign that the turn is over. A CLI that starts may be at work
    # before it has the message.
    news = talk.events.seen[before:]
    sent = next(at for at, each in enumerate(news) if each.type == "message_sent")
    states = [each.data["state"] for each in news[sent:] if each.type == "session_status"]
    assert set(states[states.index("busy") :]) == {"busy"}
    talk.idle(60)
