"""No screen says what was once said less well."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from old_words import OLD_WORDS
from webdesk.desk import Desk
from webdesk.samples import FORMS

from clawtap_core.model import Actor, PromptState, SessionState
from clawtap_core.schemas import MessageSchema

SCRIPTS = sorted((Path(__file__).parents[2] / "webui/static/js").glob("*.js"))
ME = Actor("user", "Pixel 8")


def _old(text: str) -> list[str]:
    return [word for word in OLD_WORDS if word.lower() in text.lower()]


@pytest.fixture
def pages(client: FlaskClient, desk: Desk) -> list[str]:
    """Every page, with all that can stand there."""
    session = desk.add(title="Shop", mode="plan")
    for form in FORMS:
        desk.ask(session.id, form)
    for outcome in (each for each in PromptState if not each.open):
        desk.resolve(desk.ask(session.id, "plan").request_id, outcome, ME)
    ended = desk.keep(replace(desk.add(), state=SessionState.ENDED))
    desk.talks["stored-g1"] = [
        MessageSchema().load(
            {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Hello"}]}
        )
    ]
    client.post(f"/sessions/{session.id}/message", data={"message": "wait for it"})
    return [
        *("/", f"/sessions/{session.id}", f"/sessions/{ended.id}", "/new", "/adopt", "/history"),
        *("/history/gemini/g1", "/journal", "/settings", "/login", "/offline", "/sessions/none"),
    ]


def test_no_page_uses_the_old_words(client: FlaskClient, pages: list[str]) -> None:
    said = {path: client.get(path).get_data(as_text=True) for path in pages}
    assert all("<html" in text for text in said.values())
    assert {path: _old(text) for path, text in said.items() if _old(text)} == {}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_uses_the_old_words(script: Path) -> None:
    source = script.read_text(encoding="utf-8")
    texts = re.findall(
        r"\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`", re.sub(r"(?m)^\s*(?://|/\*\*).*$", "", source)
    )
    assert _old("\n".join(texts)) == []
