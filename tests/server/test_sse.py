from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from clawtap_core.model import Event, Screen
from clawtap_core.runtime.state.events import screen_changed
from clawtap_core.server import streamed_screen
from clawtap_core.server.sse import RENDER

NEW = "/api/events"


class Reader:
    """One client's stream, read block by block."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self._chunks: Iterator[bytes] = answer.iter_encoded()
        self._text = ""

    def block(self) -> dict[str, str]:
        """The next block's fields; a comment's name is empty."""
        while "\n\n" not in self._text:
            self._text += next(self._chunks).decode()
        block, _, self._text = self._text.partition("\n\n")
        return dict(_field(line) for line in block.split("\n"))

    def ended(self) -> bool:
        return not self._text and next(self._chunks, None) is None


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


@pytest.fixture
def watch(client: Any) -> Iterator[Any]:
    readers: list[Reader] = []

    def open_one(path: str = NEW, **headers: str) -> Reader:
        reader = Reader(client.get(path, headers=headers, buffered=False))
        readers.append(reader)
        assert reader.block()["retry"] == "1000"
        return reader

    yield open_one
    for reader in readers:
        reader.answer.close()


def test_the_headers_keep_proxies_from_holding_events_back(watch: Any) -> None:
    headers = watch().answer.headers
    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Cache-Control"] == "no-cache"
    assert headers["X-Accel-Buffering"] == "no"


def test_a_new_client_gets_a_snapshot_and_then_what_happens(watch: Any, fake: Any) -> None:
    reader = watch()
    snapshot = reader.block()
    assert (snapshot["event"], snapshot["id"]) == ("snapshot", "e1-0")
    assert json.loads(snapshot["data"])["prompts"][0]["requestId"] == "r1"
    fake.publish(fake.event("approval_required", requestId="r1", title="naïve ☃"))
    event = reader.block()
    assert (event["event"], event["id"]) == ("approval_required", "e1-1")
    fields = {"sessionId": "s1", "requestId": "r1", "title": "naïve ☃"}
    assert json.loads(event["data"]) == fields


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"{NEW}?after=e1-1", {}),
        (NEW, {"Last-Event-ID": "e1-1"}),
        (f"{NEW}?after=e1-0", {"Last-Event-ID": "e1-1"}),
    ],
)
def test_a_client_that_comes_back_gets_what_it_missed(
    watch: Any, fake: Any, path: str, headers: dict[str, str]
) -> None:
    for number in range(3):
        fake.publish(fake.event("message", number=number))
    reader = watch(path, **headers)
    assert [reader.block()["id"], reader.block()["id"]] == ["e1-2", "e1-3"]


@pytest.mark.parametrize("after", ["old-7", "nonsense", "e1-", "e1-1%0Aevent: x", "-"])
def test_a_cursor_that_leads_nowhere_gets_a_snapshot(watch: Any, after: str) -> None:
    assert watch(f"{NEW}?after={after}").block()["id"] == "e1-0"


def test_what_is_not_kept_has_no_id(watch: Any, fake: Any) -> None:
    reader = watch()
    reader.block()
    fake.hand_out(fake.event("text_delta", text="a\nb\u2028c"))
    delta = reader.block()
    assert "id" not in delta
    assert json.loads(delta["data"])["text"] == "a\nb\u2028c"


@pytest.mark.parametrize(("texts", "shown"), [("s1", ["s1"]), ("", []), (None, ["s2", "s1"])])
def test_text_that_is_being_written_is_sent_of_the_session_that_is_asked_for(
    watch: Any, fake: Any, texts: str | None, shown: list[str]
) -> None:
    reader = watch(NEW if texts is None else f"{NEW}?texts={texts}")
    reader.block()
    for session in ("s2", "s1"):
        for kind in ("text_delta", "thinking"):
            written = fake.event(kind, text="so far")
            fake.hand_out(replace(written, session_id=session, data={"sessionId": session}))
    fake.publish(fake.event("message", text="all of it"))
    seen = [reader.block() for _ in range(2 * len(shown) + 1)]
    assert [json.loads(block["data"])["sessionId"] for block in seen[:-1:2]] == shown
    assert seen[-1]["event"] == "message"


def test_rendered_text_is_not_sent_as_it_was_written(app: Any, watch: Any, fake: Any) -> None:
    app.extensions[RENDER] = lambda event: event.data.get("text")
    reader = watch(f"{NEW}?render=html")
    reader.block()
    fake.hand_out(fake.event("text_delta", text="so far", delta="far", messageId="m"))
    written = json.loads(reader.block()["data"])
    assert written == {"sessionId": "s1", "messageId": "m", "html": "so far"}


def test_silence_is_broken_by_comments(app: Any, watch: Any) -> None:
    app.config["CLAWTAP_SSE_IDLE"] = 0.02
    reader = watch()
    reader.block()
    assert reader.block() == {"": "idle"}
    assert reader.block() == {"": "idle"}


def test_the_stream_ends_with_the_iterator(watch: Any, fake: Any) -> None:
    reader = watch()
    reader.block()
    fake.hand_out(None)
    assert reader.ended()
    assert fake.closed == 1


def test_a_client_that_leaves_frees_its_iterator(watch: Any, fake: Any) -> None:
    reader = watch()
    reader.block()
    assert len(fake.readers) == 1
    reader.answer.close()
    assert (len(fake.readers), fake.closed) == (0, 1)


def test_a_head_request_leaves_nothing_behind(client: Any, fake: Any) -> None:
    assert client.head(NEW).status_code == 200
    assert fake.readers == []


def test_a_revoked_devices_stream_ends(app: Any, client: Any, fake: Any) -> None:
    app.config["CLAWTAP_SSE_IDLE"] = 0.02
    made = client.post("/api/devices", json={"name": "phone"}).get_json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    reader = Reader(app.test_client().get(NEW, headers=headers, buffered=False))
    reader.block()
    reader.block()
    client.delete(f"/api/devices/{made['device']['id']}")
    fake.publish(fake.event("message", text="private"))
    assert reader.ended()
    assert fake.readers == []


def test_a_sessions_stream_asks_for_that_session(watch: Any, fake: Any) -> None:
    watch("/api/sessions/s1/events?screen=1").block()
    watch("/api/events?screen=1").block()
    assert fake.said == [("events", None, "s1", True), ("events", None, None, False)]


def test_markup_that_an_event_brings_does_not_reach_the_page(
    app: Any, watch: Any, fake: Any
) -> None:
    app.extensions[RENDER] = lambda event: None
    reader, plain = watch(f"{NEW}?render=html&after=e1-0"), watch(f"{NEW}?after=e1-0")
    fake.publish(fake.event("session_updated", html="<form id=prompt>", title="a"))
    assert json.loads(reader.block()["data"]) == {"sessionId": "s1", "title": "a"}
    assert json.loads(plain.block()["data"])["html"] == "<form id=prompt>"


def test_events_carry_the_pages_html_when_asked(app: Any, watch: Any, fake: Any) -> None:
    made = []

    def render(event: Event) -> str | None:
        made.append(event.type)
        return "<p>hi</p>" if event.type == "message" else None

    app.extensions[RENDER] = render
    readers = [watch(f"{NEW}?render=html&after=e1-0") for _ in range(2)]
    plain = watch(f"{NEW}?after=e1-0")
    fake.publish(fake.event("message"))
    fake.publish(fake.event("done"))
    for reader in readers:
        assert json.loads(reader.block()["data"]) == {"sessionId": "s1", "html": "<p>hi</p>"}
        assert "html" not in json.loads(reader.block()["data"])
    assert "html" not in json.loads(plain.block()["data"])
    assert made == ["message", "done"]


def test_an_event_is_encoded_once_for_all_clients(
    watch: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = [watch(f"{NEW}?after=e1-0") for _ in range(3)]
    event = fake.publish(fake.event("message"))
    encoded = []
    monkeypatch.setattr(
        "clawtap_core.model.event.json.dumps", lambda *_, **__: encoded.append(1) or "{}"
    )
    for reader in readers:
        assert reader.block()["data"] == "{}"
    assert encoded == [1]
    assert event.json == "{}"


def test_a_screen_is_rendered_once_for_all_clients(
    watch: Any, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = []
    render = streamed_screen.screen_html
    monkeypatch.setattr(
        streamed_screen, "screen_html", lambda screen: rendered.append(screen) or render(screen)
    )
    readers = [watch("/api/sessions/s1/events?screen=1") for _ in range(10)]
    assert [reader.block()["event"] for reader in readers] == ["snapshot"] * 10
    screen = Screen.from_text("\x1b[1mone\x1b[0m <i>")
    event = screen_changed("s1", screen, fake.noon)
    for _ in range(2):  # a client gets each revision once
        fake.hand_out(event)
    fake.hand_out(fake.event("done"))
    for reader in readers:
        block = reader.block()
        assert block["event"] == "screen"
        data = json.loads(block["data"])
        assert data["html"] == '<span class="bold">one</span> &lt;i&gt;'
        assert data["sessionId"] == "s1"
        assert "captured" not in data
        assert reader.block()["event"] == "done"
    assert rendered == [screen]


def test_a_type_cannot_break_out_of_its_line(watch: Any, fake: Any) -> None:
    reader = watch(f"{NEW}?after=e1-0")
    fake.publish(fake.event("odd\nid: e1-99"))
    assert reader.block()["event"] == "odd id: e1-99"
