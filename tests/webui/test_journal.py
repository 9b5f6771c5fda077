"""The journal's page: who answered what, filtered, in steps, and to take away."""

from __future__ import annotations

import csv
import html
import io
import json
import re

from flask.testing import FlaskClient
from webdesk.desk import Desk
from webdesk.talks import talk

from clawtap_core.model import Actor, Kind, Option, PromptForm, PromptState, Response


def _answer(desk: Desk, session: str, title: str, reason: str | None = None) -> None:
    form = PromptForm(Kind.PERMISSION, title, options=(Option("yes", "Yes"),))
    request = desk.ask(session, form).request_id
    response = Response(request, "yes", reason=reason)
    desk.resolve(request, PromptState.ANSWERED, Actor("user", "Pixel 8"), response)


def test_an_entry_of_an_answer_says_what_who_and_from_where(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add(title="Shop").id
    _answer(desk, session, "Run <b>make</b>?", "go on")
    page = client.get("/journal").text
    assert "Run &lt;b&gt;make&lt;/b&gt;?" in page
    assert "Answered: Yes" in page
    assert "From Pixel 8" in page
    assert "go on" in page
    assert f'href="/sessions/{session}"' in page


def test_a_session_has_the_name_that_it_has_in_the_list(client: FlaskClient, desk: Desk) -> None:
    session = desk.add(title="shop", cwd="/home/me/shop").id
    for message in talk("m"):
        desk.say(session, message)
    _answer(desk, session, "Run it?")
    name = re.search(r'class="row-title"[^>]*>([^<]+)', client.get("/").text)
    assert name
    assert name[1] != "shop"
    assert client.get("/journal").text.count(f">{name[1]}<") == 2
    assert html.unescape(name[1]) in client.get("/journal/export.csv").text


def test_only_what_somebody_wrote_is_quoted(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    _answer(desk, session, "Run it?", "go on")
    request = desk.ask(session, "shell").request_id
    unknown = Actor("unknown", "elsewhere")
    why = "nothing shows who answered"
    desk.resolve(request, PromptState.ANSWERED_ELSEWHERE, unknown, detail=why)
    page = client.get("/journal").text
    assert "<q>go on</q>" in page
    assert "No longer waiting</strong> · Nothing shows who answered" in page


def test_an_entry_of_a_permission_says_the_command_or_the_file(
    client: FlaskClient, desk: Desk
) -> None:
    session = desk.add().id
    patch = "*** Begin Patch\n*** Update File: shop/prices.py\n@@\n-a\n+b\n*** End Patch"
    patched = PromptForm(Kind.PERMISSION, "Apply?", tool_input={"command": ["apply_patch", patch]})
    for form in ("shell", "write", patched):
        asked = desk.ask(session, form).request_id
        desk.resolve(asked, PromptState.ANSWERED, Actor("user", "Pixel 8"))
    page = client.get("/journal").text
    assert "<code>git push --force-with-lease origin main</code>" in page
    assert "<code>docs/notes.md</code>" in page
    assert "<code>shop/prices.py</code>" in page


def test_kinds_and_sessions_are_filtered(client: FlaskClient, desk: Desk) -> None:
    one, other = desk.add(title="One").id, desk.add(title="Other").id
    _answer(desk, one, "Question of one")
    _answer(desk, other, "Question of the other")
    client.post(f"/sessions/{one}/message", data={"message": "said to one"})
    answers = client.get("/journal").text
    assert "Question of one" in answers
    assert "said to one" not in answers
    assert "said to one" in client.get("/journal?kind=messages").text.lower()
    only = client.get(f"/journal?kind=all&session={other}").text
    assert "Question of the other" in only
    assert "Question of one" not in only


def test_changes_of_rules_and_access_tell_who_made_them(client: FlaskClient, desk: Desk) -> None:
    by = {"by": "user", "device": "Pixel 8"}
    desk.tell("rule_added", None, {**by, "rule": {"name": "tests <b>"}})
    desk.tell("invitation_added", None, {**by, "name": "Anna", "role": "answer"})
    desk.tell("device_removed", None, {**by, "name": "Bob", "role": "watch"})
    page = client.get("/journal?kind=actions").text
    for words in ("Rule added: tests &lt;b&gt;", "Invited Anna (answer)", "Revoked Bob (watch)"):
        assert words in page
    assert page.count("From Pixel 8") == 3


def test_older_rows_are_a_step_away(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    for number in range(70):
        _answer(desk, session, f"Question {number:02d}")
    first = client.get("/journal").text
    assert "Question 69" in first
    assert "Question 19" not in first
    cursor = first.split("cursor=")[1].split('"')[0].split("&")[0]
    second = client.get(f"/journal?cursor={cursor}").text
    assert "Question 19" in second
    assert "Question 00" in second
    assert "Question 20" not in second


def test_the_answers_leave_as_a_table_without_formulas(client: FlaskClient, desk: Desk) -> None:
    session = desk.add(title="Shop").id
    _answer(desk, session, "=HYPERLINK(1)", 'because, "so"\nthere')
    rows = list(csv.DictReader(io.StringIO(client.get("/journal/export.csv").text)))
    assert rows[0]["title"] == "'=HYPERLINK(1)"
    assert rows[0]["chosen"] == "Yes"
    assert rows[0]["device"] == "Pixel 8"
    assert rows[0]["session"] == "Shop"
    assert rows[0]["reason"] == 'because, "so"\nthere'


def test_everything_leaves_as_lines_of_json(client: FlaskClient, desk: Desk) -> None:
    session = desk.add().id
    _answer(desk, session, "Run?")
    lines = client.get("/journal/export.jsonl").text.splitlines()
    assert "prompt_resolved" in {json.loads(line)["type"] for line in lines}
    assert len(lines) == len(desk.events)


def test_there_are_two_forms_of_the_export(client: FlaskClient) -> None:
    assert client.get("/journal/export.csv").headers["Content-Type"] == "text/csv; charset=utf-8"
    assert client.get("/journal/export.xlsx").status_code == 404


def test_an_empty_journal_says_what_it_is_for(client: FlaskClient) -> None:
    assert "Every answer appears here" in client.get("/journal?kind=nonsense&cursor=x").text


def test_an_empty_list_says_what_it_would_hold(client: FlaskClient) -> None:
    assert "Errors of your sessions appear here" in client.get("/journal?kind=errors").text
    assert "Your messages appear here" in client.get("/journal?kind=messages").text
