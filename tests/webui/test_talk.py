"""Conversations: messages become text, thoughts and tool cards; results find their cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from webdesk.desk import Desk
from webdesk.samples import HOSTILE
from webdesk.talks import talk

from clawtap_core.model import Message
from clawtap_core.schemas import load
from webui.rendering.renderer import Renderer
from webui.site import site
from webui.viewmodels.feed_item import Item
from webui.viewmodels.message_items import merged, message_items
from webui.viewmodels.usage import usage


@pytest.fixture
def renderer(app: Flask) -> Iterator[Renderer]:
    with app.app_context():
        yield site().renderer


def _items(*messages: dict[str, Any], folder: str = "") -> list[Item]:
    values = (load(Message, message) for message in messages)
    return merged(item for message in values for item in message_items(message, "s1", folder))


def test_a_patch_is_named_by_its_first_file() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n+x\n*** End Patch"
    call = {"type": "tool_use", "toolCallId": "c", "toolName": "apply_patch"}
    content = [{**call, "input": {"input": patch}, "status": "pending"}]
    (item,) = _items({"id": "m", "role": "assistant", "content": content})
    assert item.tool
    assert (item.tool.subject, item.tool.place) == ("a.py", "src")


def test_a_result_stands_in_the_card_of_its_tool() -> None:
    items = _items(*talk())
    assert [one.kind for one in items] == [
        *("user", "thought", "assistant", "tool", "assistant", "tool", "tool", "assistant"),
    ]
    tools = [one.tool for one in items if one.tool]
    assert [one.result.tone for one in tools] == ["error", "done", "done"]
    assert "6 failed" in tools[0].result.text
    assert tools[0].subject.startswith("pytest -q")


def test_an_edit_shows_its_change_and_a_command_is_folded() -> None:
    run, edit, _ = (one.tool for one in _items(*talk()) if one.tool)
    assert edit.open
    assert [block.kind for block in edit.blocks] == ["diff"]
    assert edit.blocks[-1].change.added == 1
    assert not run.open
    assert (run.name, edit.name) == ("Run", "Edit")


def test_an_edit_of_opencode_shows_its_file_and_its_change() -> None:
    call = {"filePath": "/p/src/a.py", "oldString": "one\n", "newString": "two\n"}
    block = {"type": "tool_use", "toolCallId": "c", "toolName": "edit", "input": call}
    (item,) = _items({"id": "m", "role": "assistant", "content": [block]})
    assert item.tool
    assert (item.tool.name, item.tool.subject) == ("Edit", "a.py")
    (change,) = (block.change for block in item.tool.blocks)
    assert change
    assert (change.added, change.removed) == (1, 1)


def test_the_change_in_a_tool_is_named_as_seen_from_the_folder() -> None:
    call = {"file_path": "/p/src/a.py", "old_string": "one", "new_string": "two"}
    block = {"type": "tool_use", "toolCallId": "c", "toolName": "Edit", "input": call}
    (item,) = _items({"id": "m", "role": "assistant", "content": [block]}, folder="/p")
    assert item.tool
    assert (item.tool.subject, item.tool.place) == ("a.py", "src")
    assert [block.change.path for block in item.tool.blocks if block.change] == ["src/a.py"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("AskUserQuestion", "Ask user question"),
        ("exec_command", "Run"),
        ("mcp__db__Query", "Query (db)"),
        ("mcp__lab__delete_note", "Delete note (lab)"),
    ],
)
def test_a_tool_has_a_name_in_words(name: str, words: str) -> None:
    block = {"type": "tool_use", "toolCallId": "c", "toolName": name, "input": {}}
    (item,) = _items({"id": "m", "role": "assistant", "content": [block]})
    assert item.tool
    assert item.tool.name == words


ASKED = {
    "questions": [
        {
            "question": "Which database?",
            "header": "Choice",
            "multiSelect": False,
            "options": [{"label": "SQLite", "description": "One file"}, {"label": "Oracle"}],
        },
        {"question": "When?", "multiSelect": True, "options": [{"label": "Tonight"}]},
    ]
}


@pytest.mark.parametrize(
    "result",
    [
        'The user answered: "Which database?"="SQLite", "When?"="on \'Sunday\'". Read them well',
        '{"answers":{"0":"SQLite","1":"on \'Sunday\'"}}',
        '{"answers":{"q0":{"answers":["SQLite"]},"q1":{"answers":["on \'Sunday\'"]}}}',
    ],
    ids=["claude", "gemini", "codex"],
)
def test_questions_of_a_tool_are_read_as_questions_and_answers(
    renderer: Renderer, result: str
) -> None:
    known = {"toolCallId": "c", "toolName": "AskUserQuestion"}
    use = {"type": "tool_use", "input": ASKED, "status": "pending", **known}
    (item,) = _items({"id": "1", "role": "assistant", "content": [use]})
    html = renderer.item(item)
    assert item.tool
    assert (item.tool.name, item.tool.subject) == ("2 questions", "Which database?")
    assert "SQLite: One file" in html
    assert "multiSelect" not in html
    ended = {"type": "tool_result", "status": "success", "text": result, **known}
    (item,) = _items({"id": "1", "role": "assistant", "content": [use, ended]})
    html = renderer.item(item)
    assert item.tool
    assert item.tool.blocks[0].fields == (
        ("Which database?", "SQLite"),
        ("When?", "on 'Sunday'"),
    )
    assert "Read them" not in html
    assert "q0" not in html


@pytest.mark.parametrize("result", ['{"answers":{}}', "The user answered nothing"])
def test_what_answers_no_question_leaves_the_questions(result: str) -> None:
    known = {"toolCallId": "c", "toolName": "request_user_input"}
    content = [
        {"type": "tool_use", "input": ASKED, **known},
        {"type": "tool_result", "status": "success", "text": result, **known},
    ]
    (item,) = _items({"id": "1", "role": "assistant", "content": content})
    assert item.tool
    assert [block.kind for block in item.tool.blocks] == ["text", "steps", "text", "steps"]
    assert "{" not in item.tool.result.text


@pytest.mark.parametrize(
    "steps",
    [
        {"todos": [{"content": "Look", "status": "completed", "activeForm": "Looking"}]},
        {"plan": [{"step": "Look", "status": "completed"}]},
        {"todos": [{"description": "Look", "status": "completed"}]},
        {"todos": [{"title": "Look", "status": "done"}]},
    ],
    ids=["claude", "codex", "gemini", "kimi"],
)
def test_steps_of_a_tool_are_ticked_off(renderer: Renderer, steps: dict[str, Any]) -> None:
    (listed,) = steps.values()
    listed.append({**listed[0], "status": "in_progress"})
    use = {"type": "tool_use", "toolCallId": "c", "toolName": "TodoWrite", "input": steps}
    (item,) = _items({"id": "1", "role": "assistant", "content": [use]})
    assert item.tool
    assert (item.tool.name, item.tool.subject) == ("Steps", "1 of 2 done")
    assert item.tool.blocks[0].fields == (("done", "Look"), ("now", "Look"))
    assert "in_progress" not in renderer.item(item)


def test_a_plan_of_a_tool_is_read_as_text(renderer: Renderer) -> None:
    known = {"toolCallId": "c", "toolName": "ExitPlanMode"}
    use = {"type": "tool_use", "input": {"plan": "# Move it\n\n1. **Copy**"}, **known}
    ended = {"type": "tool_result", "status": "success", "text": "You may code now", **known}
    (item,) = _items({"id": "1", "role": "assistant", "content": [use, ended]})
    assert item.tool
    assert (item.tool.name, item.tool.subject) == ("Plan", "Move it")
    html = renderer.item(item)
    assert "<strong>Copy</strong>" in html
    assert "You may code now" not in html


def test_a_result_fills_the_card_with_the_change_that_was_made() -> None:
    diff = "--- a/app.py\n+++ b/app.py\n@@ -7,1 +7,1 @@\n-port = 80\n+port = 8080\n"
    known = {"toolCallId": "c", "toolName": "Edit"}
    planned = {"file_path": "app.py", "old_string": "port = 80", "new_string": "port = 8080"}
    use = {"type": "tool_use", "status": "success", "input": planned, **known}
    ended = {"type": "tool_result", "status": "success", "diff": diff, **known}
    (item,) = _items({"id": "1", "role": "assistant", "content": [use, ended]})
    assert item.tool
    changes = [block.change for block in item.tool.blocks if block.change]
    assert len(changes) == 1
    assert [line.number for line in changes[0].lines if line.kind == "del"] == ["7"]


def test_a_call_without_a_result_runs_or_was_refused() -> None:
    use = {"type": "tool_use", "toolCallId": "c", "toolName": "Shell", "input": {}}
    for status, tone in (("pending", "running"), ("cancelled", "denied")):
        (item,) = _items({"id": "1", "role": "assistant", "content": [{**use, "status": status}]})
        assert item.tool
        assert item.tool.result.tone == tone


def test_a_huge_result_says_how_much_is_left_out(renderer: Renderer) -> None:
    known = {"toolCallId": "c", "toolName": "Shell", "status": "success"}
    content = [{"type": "tool_use", **known}, {"type": "tool_result", "text": "x" * 10**6, **known}]
    (item,) = _items({"id": "1", "role": "assistant", "content": content})
    html = renderer.item(item)
    assert len(html) < 30_000
    assert "980,000 more characters" in html


def test_what_the_cli_itself_reports_is_a_note(renderer: Renderer) -> None:
    fields = {"id": "1", "role": "system", "notice": "error", "content": [_text("no <b>quota</b>")]}
    html = renderer.item(_items(fields)[0])
    assert "No &lt;b&gt;quota&lt;/b&gt;" in html
    assert "i-warning" in html


def test_an_error_that_is_a_message_and_an_event_stands_once(
    client: FlaskClient, desk: Desk, renderer: Renderer
) -> None:
    session = desk.add().id
    note = {"role": "system", "notice": "error", "content": [_text("no quota")]}
    desk.say(session, {"id": "1", **note})
    desk.tell("session_error", session, {"sessionId": session, "error": "no quota"})
    assert renderer.event(desk.events[-1]) is None
    assert _conversation(client, session).count("No quota") == 1
    desk.tell("session_error", session, {"sessionId": session, "error": "no network"})
    assert "No network" in (renderer.event(desk.events[-1]) or "")
    assert _conversation(client, session).count("No network") == 1


def test_older_messages_come_a_page_at_a_time(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    for minute in range(40):
        for message in talk(f"t{minute}-", minute):
            desk.say(session, message)
    page = client.get(f"/sessions/{session}").text
    older = page.split('data-older="')[1].split('"')[0]
    assert page.count('class="feed-item user"') <= 13
    seen = page.count('class="feed-item user"')
    while older:
        answer = client.get(f"/sessions/{session}/feed?before={older}")
        assert answer.status_code == 200
        seen += answer.text.count('class="feed-item user"')
        older = answer.headers["X-Older"]
    assert seen == 40
    assert client.get(f"/sessions/{session}/feed?before=nonsense").status_code == 404


def test_a_sent_message_stands_once(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    client.post(f"/sessions/{session}/message", data={"message": "said here"})
    assert _conversation(client, session).count("said here") == 1
    desk.say(session, {"id": "1", "role": "user", "content": [_text("said here")]})
    assert _conversation(client, session).count("said here") == 1


def _conversation(client: FlaskClient, session: str) -> str:
    """Return the page from its feed on; the list of sessions shows last lines, too."""
    return client.get(f"/sessions/{session}").text.split('id="feed"')[1]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_hostile_messages_are_only_text(renderer: Renderer) -> None:
    blocks = [
        {"type": "text", "text": HOSTILE},
        {"type": "thinking", "text": HOSTILE},
        {
            "type": "tool_use",
            "toolCallId": 'a"><b',
            "toolName": HOSTILE,
            "input": {HOSTILE: HOSTILE},
        },
        {"type": "tool_result", "toolCallId": 'a"><b', "text": HOSTILE},
    ]
    for role in ("user", "assistant"):
        message = {"id": '1"><script>', "role": role, "content": blocks}
        html = "".join(map(renderer.item, _items(message)))
        assert "<script" not in html
        assert "<img" not in html
        assert 'href="javascript' not in html
        assert "\x1b" not in html


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result", "image"])},
            optional={
                "text": st.text(),
                "toolCallId": st.sampled_from(["a", "b"]),
                "toolName": st.text(),
                "status": st.text(),
                "input": st.dictionaries(st.text(), st.text() | st.integers() | st.none()),
            },
        )
    )
)
def test_no_message_breaks_the_page(content: list[dict[str, Any]]) -> None:
    items = _items({"id": "1", "role": "assistant", "content": content})
    assert len({one.id for one in items}) == len(items)


def test_the_page_shows_the_conversation_first_where_there_is_one(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add().id
    assert 'data-view="screen"' in client.get(f"/sessions/{session}").text
    for message in talk():
        desk.say(session, message)
    page = client.get(f"/sessions/{session}").text
    assert 'data-view="chat"' in page
    assert page.count('class="feed-item tool"') == 3
    assert "50 passed" in page


def test_usage_is_shown_in_few_words() -> None:
    shown = usage({"contextPercent": 37.6, "contextTokens": 41_234, "cost": 0.129})
    assert (shown.context, shown.tokens, shown.cost) == (38, "41.2k", "$0.13")
    assert usage({"contextTokens": 950}).tokens == "950"
    assert usage({}) == usage({"contextPercent": "much", "contextTokens": None})


def test_an_ended_session_says_why_and_can_be_resumed(client: FlaskClient, desk: Desk) -> None:
    session = desk.add(detail="ended with status 1: no key", cli_session_id="cli-7").id
    assert 'data-over="false"' in client.get(f"/sessions/{session}").text
    client_state(desk, session, "ended")
    page = client.get(f"/sessions/{session}").text
    assert "<strong>This session has ended</strong> with status 1: no key" in page
    answer = client.post(f"/sessions/{session}/resume")
    assert answer.status_code == 303
    assert answer.location != f"/sessions/{session}"
    assert desk.said[-1]["what"] == "start"


def test_what_cannot_be_resumed_is_not_offered(client: FlaskClient, desk: Desk) -> None:
    session = desk.add(adapter="demo").id
    client_state(desk, session, "ended")
    page = client.get(f"/sessions/{session}").text
    assert "Start another" in page
    assert client.post(f"/sessions/{session}/resume").status_code == 422


def test_a_queued_message_is_edited_by_a_form(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    desk.ask(session, "shell")
    client.post(f"/sessions/{session}/message", data={"message": "later"})
    queued = desk.queues[session][0].id
    done = client.post(f"/sessions/{session}/queue/{queued}/edit", data={"message": "much later"})
    assert done.status_code == 303
    assert desk.queues[session][0].message == "much later"


def client_state(desk: Desk, session: str, state: str) -> None:
    from dataclasses import replace

    from clawtap_core.model import SessionState

    desk.keep(replace(desk.sessions[session], state=SessionState(state)))


def test_a_session_without_a_pane_is_a_conversation_without_a_terminal(
    client: FlaskClient, desk: Desk
) -> None:
    from dataclasses import replace

    session = desk.add()
    desk.keep(replace(session, channel="protocol", pane=None))
    page = client.get(f"/sessions/{session.id}").text
    assert 'data-view="chat"' in page
    assert 'class="terminal' not in page
    assert "data-stage" not in page
    assert 'id="message"' in page


def test_a_limited_session_is_resumed_without_a_script(client: FlaskClient, desk: Desk) -> None:
    from dataclasses import replace
    from datetime import timedelta

    from clawtap_core.model import SessionState, UsageLimit

    limit = UsageLimit("no more", desk.now() + timedelta(hours=1))
    session = desk.keep(replace(desk.add(), state=SessionState.LIMITED, limit=limit)).id
    path = f"/sessions/{session}"
    assert "Limit reached" in client.get(path).text
    assert client.post(f"{path}/resume-later", data={"message": "go on"}).status_code == 303
    assert "with “go on”" in client.get(path).text
    assert client.post(f"{path}/resume-later", data={"message": " "}).status_code == 400
    client.post(f"{path}/resume-later", data={"cancel": "1"})
    assert "with “go on”" not in client.get(path).text
    client.post(f"{path}/dismiss-limit")
    assert "Limit reached" not in client.get(path).text
