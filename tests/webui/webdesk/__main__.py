"""Serve the desk: `python -m webdesk PORT DATA_DIR [EPOCH]`. Tests steer it by POST /desk/DO."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from gevent import monkey

monkey.patch_all(queue=False)

from flask import Flask, jsonify, request  # noqa: E402
from gevent.pywsgi import WSGIServer  # noqa: E402

from clawtap_core.config import Settings  # noqa: E402
from clawtap_core.errors import Impossible, NotConfirmed  # noqa: E402
from clawtap_core.model import (  # noqa: E402
    BY_DEFAULT,
    Actor,
    PromptForm,
    PromptState,
    Response,
    SessionState,
    StoredSession,
    UsageLimit,
)
from clawtap_core.rules.rules_file import read_rules  # noqa: E402
from clawtap_core.schemas import MessageSchema, load  # noqa: E402
from clawtap_core.server.app import create_app  # noqa: E402
from clawtap_core.server.devices import Devices  # noqa: E402
from clawtap_core.server.lan.service import Lan  # noqa: E402
from clawtap_core.server.listener import listen  # noqa: E402
from clawtap_core.server.phone import PhoneAccess  # noqa: E402
from webdesk.desk import Desk  # noqa: E402
from webdesk.served import TOKEN  # noqa: E402
from webdesk.talks import hostile, talk  # noqa: E402
from webui.plugin import register_routes  # noqa: E402

FAILURES = {
    "not_confirmed": NotConfirmed("the key was sent, but its outcome was not seen in time"),
    "impossible": Impossible("this answer cannot be given"),
}


def steer(app: Flask, desk: Desk) -> None:
    """Routes by which a test plays the CLI and the person at the desk."""

    @app.post("/desk/<do>")
    def act(do: str):  # type: ignore[no-untyped-def]
        given = request.get_json()
        return jsonify(globals()[f"do_{do}"](desk, **given))

    @app.get("/desk/said")
    def said():  # type: ignore[no-untyped-def]
        return jsonify(desk.said)


def do_reset(desk: Desk) -> dict[str, str]:
    desk.reset()
    return {}


def do_rules(desk: Desk, allowed: int = 0, problem: str = "", text: str = "") -> dict[str, str]:
    desk.allowed_before, desk.rules_problem = allowed, problem or None
    desk.rules += read_rules(text).rules
    return {}


def do_add(desk: Desk, **fields: str) -> dict[str, str]:
    state = fields.pop("state", None)
    session = desk.add(**fields)
    if state:
        do_state(desk, session.id, state)
    return {"id": session.id}


def do_take_back(desk: Desk, session: str) -> dict[str, str]:
    """Take the first message off the queue."""
    desk.queues[session].pop(0)
    desk.queue_changed(session)
    return {}


def do_check(desk: Desk, **found: Any) -> dict[str, str]:
    desk.check(**found)
    return {}


def do_state(desk: Desk, session: str, state: str, **fields: str) -> dict[str, str]:
    from dataclasses import replace

    desk.keep(replace(desk.sessions[session], state=SessionState(state), **fields))
    return {}


def do_limit(desk: Desk, session: str, minutes: int = 0) -> dict[str, str]:
    from dataclasses import replace

    ends_at = desk.now() + timedelta(minutes=minutes) if minutes else None
    limit = UsageLimit("You've hit your limit", ends_at)
    desk.keep(replace(desk.sessions[session], state=SessionState.LIMITED, limit=limit))
    return {}


def do_ask(
    desk: Desk, session: str, form: str, expires: int = 0, default: str = ""
) -> dict[str, str]:
    until = desk.now() + timedelta(seconds=expires) if expires else None
    return {"id": desk.ask(session, form, expires_at=until, default=default or None).request_id}


def do_default(desk: Desk, prompt: str) -> dict[str, str]:
    response = Response(prompt, desk.prompts[prompt].form.options[0].value)
    by, why = Actor(BY_DEFAULT, "clock"), "nobody answered within 10 minutes"
    desk.resolve(prompt, PromptState.ANSWERED, by, response, why)
    return {}


def do_ask_wire(desk: Desk, session: str, form: dict[str, object]) -> dict[str, str]:
    """Ask a form of the wire."""
    return {"id": desk.ask(session, load(PromptForm, form)).request_id}


def do_elsewhere(
    desk: Desk, prompt: str, outcome: str = "answered_elsewhere", by: str = "someone"
) -> dict[str, str]:
    actor = Actor(by, "desk" if by == "someone" else "elsewhere")
    desk.resolve(prompt, PromptState(outcome), actor)
    return {}


def do_answer(desk: Desk, prompt: str, device: str) -> dict[str, str]:
    asked = desk.prompts[prompt].form
    response = Response(prompt, asked.options[0].value)
    desk.resolve(prompt, PromptState.ANSWERED, Actor("user", device), response)
    return {}


def do_kept(desk: Desk, cwd: str) -> dict[str, str]:
    now = desk.now()
    for days, adapter, folder, title in (
        (0, "gemini", "shop", "The checkout test is flaky on CI"),
        (0, "claude", "api", "Rename the API client to ShopClient"),
        (0, "codex", "infra", "Update what has security fixes"),
        (1, "claude", "api", "Why is the second page of /orders so slow?"),
        (1, "gemini", "docs", "Write the release notes of 2.4"),
        (4, "codex", "shop", "Move the settings to a file"),
    ):
        when = now - timedelta(days=days)
        name = f"{adapter}-{len(desk.stored)}"
        desk.stored.append(StoredSession(adapter, name, when, f"{cwd}/{folder}", title))
    return {}


def do_answered(desk: Desk, session: str, count: int) -> dict[str, str]:
    for _ in range(count):
        prompt = desk.ask(session, "shell")
        chosen = Response(prompt.request_id, selected_option="allow-once")
        desk.resolve(prompt.request_id, PromptState.ANSWERED, Actor("user", "Pixel 8"), chosen)
    return {}


def do_recall(desk: Desk, name: str, count: int) -> dict[str, str]:
    """Fill a stored conversation."""
    do_fill(desk, f"stored-{name}", count)
    return {}


def do_remember(desk: Desk, name: str, message: dict[str, object]) -> dict[str, str]:
    """Write a message into a stored conversation."""
    desk.tell_stored(name, message)
    return {}


def do_redraw(desk: Desk, prompt: str) -> dict[str, str]:
    desk.change(desk.prompts[prompt])
    return {}


def do_paint(desk: Desk, session: str, text: str, **facts: Any) -> dict[str, str]:
    desk.paint(session, text, **facts)
    return {}


def do_stream(desk: Desk, session: str, text: str) -> dict[str, str]:
    desk.tell("text_delta", session, {"sessionId": session, "text": text}, kept=False)
    return {}


def do_talk(desk: Desk, session: str, start: str = "m", minutes_ago: int = 0) -> dict[str, str]:
    at = (desk.now() - timedelta(minutes=minutes_ago)).isoformat()
    for message in talk(start):
        desk.say(session, {**message, "at": at} if minutes_ago else message)
    return {}


def do_fill(desk: Desk, session: str, count: int) -> dict[str, str]:
    read = MessageSchema().load
    content = [{"type": "text", "text": ""}]
    for number in range(count):
        content[0]["text"] = f"message {number}"
        at = f"2026-11-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z"
        wire = {"id": f"n{number}", "role": ("user", "assistant")[number % 2], "content": content}
        desk.talks.setdefault(session, []).append(read({**wire, "at": at}))
    return {}


def do_write(desk: Desk, session: str, first: int, last: int) -> dict[str, str]:
    """Write messages into the transcript that no stream tells of."""
    read = MessageSchema().load
    for number in range(first, last + 1):
        at = f"2026-11-01T{number // 60:02d}:{number % 60:02d}:00Z"
        content = [{"type": "text", "text": f"message {number}"}]
        wire = {"id": f"w{number}", "role": "user", "content": content, "at": at}
        desk.talks.setdefault(session, []).append(read(wire))
    return {}


def do_hostile(desk: Desk, session: str, start: str = "h") -> dict[str, str]:
    for message in hostile(start):
        desk.say(session, message)
    return {}


def do_say(desk: Desk, session: str, message: dict[str, object]) -> dict[str, str]:
    desk.say(session, message)
    return {}


def do_tell(desk: Desk, session: str, kind: str, data: dict[str, object]) -> dict[str, str]:
    desk.tell(kind, session, {"sessionId": session, **data})
    return {}


def do_status(desk: Desk, session: str) -> dict[str, str]:
    data = {"sessionId": session, "contextPercent": 82.5, "contextTokens": 90_000}
    desk.tell("status_update", session, data, kept=False)
    return {}


def do_fail(desk: Desk, code: str = "", delay: float = 0.0) -> dict[str, str]:
    desk.fail, desk.delay = FAILURES.get(code), delay
    return {}


def do_uninstall(desk: Desk) -> dict[str, str]:
    desk.installed = False
    return {}


def main() -> None:
    """Serve until killed."""
    port, folder = int(sys.argv[1]), Path(sys.argv[2])
    desk = Desk(sys.argv[3] if len(sys.argv) > 3 else "e1")
    phone = ("desk.tail1.ts.net",)
    settings = Settings(port=port, data_dir=folder, token=TOKEN, allowed_hosts=phone)
    folder.mkdir(parents=True, exist_ok=True)
    devices = Devices(folder / "devices.json", TOKEN)
    lan = Lan(folder, addresses=lambda: ("192.168.1.5",), names=("workbench",))
    phones = PhoneAccess(settings, lan)
    app = create_app(
        desk.transport, settings, devices=devices, extend=register_routes, phones=phones
    )
    steer(app, desk)
    # The socket that `clawtap serve` listens on: budgets are of the program's own way.
    WSGIServer(listen(settings), app, log=None).serve_forever()


if __name__ == "__main__":
    main()
