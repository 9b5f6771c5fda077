"""An answer longer than the pane, while it is being written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from every_cli import CLIS, OTHER_VERSIONS, OTHERS, VERSIONS

TREES = ["alder", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch", "maple", "oak"]
# All rows differ by more than numbers, which a clock would change, too.
LINES = [f"From the {one} to the {other}" for one in TREES[:7] for other in TREES]


@pytest.fixture(scope="module", params=VERSIONS + OTHER_VERSIONS, ids="-".join)
def testbed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of each CLI and a ClawTap server, with the scripted model."""
    name, version = request.param
    folder = tmp_path_factory.mktemp(f"{name}-{version}")
    testbed = OTHERS[name](version, folder) if name in OTHERS else CLIS[name].open(version, folder)
    yield testbed
    testbed.close()


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
