"""The pages of sessions and their prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flask import Blueprint, Response, redirect, render_template, request
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound
from clawtap_core.model import MAX_ATTACHMENT_BYTES, AdapterInfo, Prompt, Role, Screen, Snapshot
from clawtap_core.schemas import MOST_FILES
from clawtap_core.server.context import server, transport
from clawtap_core.server.roles import requires
from clawtap_core.server.screen_html import screen_html
from clawtap_core.transport import Transport
from webui.site import page_values, site
from webui.viewmodels import conversation
from webui.viewmodels.adapter_choices import adapter_choices
from webui.viewmodels.feed_item import Entry, Item
from webui.viewmodels.prompt_body import blocks
from webui.viewmodels.search_results import stored_url
from webui.viewmodels.session_filter import filter_choices
from webui.viewmodels.session_row import by_attention
from webui.views import errors

blueprint = Blueprint("webui_sessions", "webui", template_folder="templates")
errors.install(blueprint)


@blueprint.get("/")
@requires(Role.WATCH)
def home() -> str:
    """Show what needs the user, over all sessions, and the sessions."""
    runtime = transport()
    snapshot = runtime.snapshot()
    return render_template(
        "webui/home.html",
        live=True,
        cursor=snapshot.cursor,
        waiting=len(snapshot.prompts),
        prompts=[site().renderer.prompt(prompt) for prompt in _by_session(snapshot.prompts)],
        problem=snapshot.problem,
        **_side(runtime, snapshot),
        **page_values(),
    )


@blueprint.get("/archived")
@requires(Role.WATCH)
def archived() -> str:
    """Show the sessions that were taken off the list."""
    snapshot = transport().snapshot()
    sessions = sorted(
        (session for session in snapshot.sessions if session.archived),
        key=lambda session: session.last_activity,
        reverse=True,
    )
    return render_template(
        "webui/archived.html",
        live=True,
        cursor=snapshot.cursor,
        rows=[site().renderer.row(session) for session in sessions],
        **page_values(),
    )


@blueprint.get("/sessions/<session_id>")
@requires(Role.WATCH)
def session(session_id: str) -> str | AnyResponse:
    """Show one session: its conversation, what it asks, its terminal."""
    runtime, renderer = transport(), site().renderer
    snapshot, shown = runtime.snapshot(), runtime.session(session_id)
    anchor = ""
    if message := request.args.get("message"):
        anchor = conversation.anchor(runtime, session_id, message)
        if not anchor and shown.cli_session_id:
            # The message is older than what this page holds.
            return redirect(stored_url(shown.adapter, shown.cli_session_id, message))
    info = site().lookup.adapter(shown.adapter)
    prompts = [prompt for prompt in snapshot.prompts if prompt.session_id == session_id]
    queue = [message for message in snapshot.queue if message.session_id == session_id]
    talk = conversation.latest(runtime, session_id)
    return render_template(
        "webui/session.html",
        live=True,
        cursor=snapshot.cursor,
        row=site().lookup.row(shown),
        head=renderer.head(shown),
        over=renderer.over(shown, ask=True),
        adapter_name=info.name if info else shown.adapter,
        waiting=len(snapshot.prompts),
        elsewhere=len(snapshot.prompts) - len(prompts),
        prompts=[renderer.prompt(prompt) for prompt in prompts],
        queue=renderer.queue(session_id, queue),
        feed=[renderer.entry(entry) for entry in talk.entries],
        has_messages=talk.has_messages,
        older=talk.older,
        anchor=anchor,
        since=_turn_start(talk.entries),
        usage=renderer.usage(session_id, talk.status),
        files={"most": MOST_FILES, "largest": MAX_ATTACHMENT_BYTES},
        has_screen=shown.channel == "terminal",
        muted=session_id in server().notices.preferences.muted,
        **_abilities(info),
        **_screen(runtime, session_id),
        **_side(runtime, snapshot),
        **page_values(),
    )


@blueprint.get("/sessions/<session_id>/feed")
@requires(Role.WATCH)
def feed(session_id: str) -> Response:
    """Return the messages before one as HTML; without one, the end of the conversation."""
    runtime = transport()
    if before := request.args.get("before"):
        part = conversation.earlier(runtime, session_id, before)
    else:
        part = conversation.latest(runtime, session_id)
    return feed_response(map(site().renderer.entry, part.entries), part.older)


@blueprint.get("/prompts/<request_id>/lines")
@requires(Role.WATCH)
def lines(request_id: str) -> str:
    """Return a part of a long change as HTML; the block is numbered as in the card."""
    shown = blocks(transport().prompt(request_id).form)
    number = max(0, request.args.get("block", 0, type=int))
    change = shown[number].change if number < len(shown) else None
    if change is None:
        raise NotFound("there is no such change in this prompt", code=ErrorCode.NOT_FOUND)
    start = request.args.get("from", 0, type=int)
    return site().renderer.lines(change, max(0, start), f"{request.path}?block={number}")


def feed_response(html: Iterable[Markup], older: str) -> Response:
    """Return items that are above others; the header X-Older names where older ones begin."""
    response = Response("\n".join(html), mimetype="text/html")
    response.headers["X-Older"] = quote(older)
    return response


def default_folder(runtime: Transport) -> str:
    """Return the folder that was used last, else the home folder."""
    return last_folder(runtime) or str(Path.home())


def last_folder(runtime: Transport) -> str:
    """Return the folder that was used last, or ""."""
    folders = runtime.folders()
    return folders[0].path if folders else ""


def _turn_start(entries: Sequence[Entry]) -> str:
    orders = [entry.order for entry in entries if isinstance(entry, Item) and entry.kind == "user"]
    return f"{orders[-1].partition('#')[0]}Z" if orders else ""


def _by_session(prompts: Sequence[Prompt]) -> list[Prompt]:
    """Put the prompts of one session together, the session that waits longest first."""
    since = {prompt.session_id: prompt.created_at for prompt in reversed(prompts)}
    return sorted(prompts, key=lambda prompt: (since[prompt.session_id], prompt.created_at))


def _side(runtime: Transport, snapshot: Snapshot) -> dict[str, Any]:
    lost = site().renderer.lost(snapshot.sessions)
    listed = [session for session in by_attention(snapshot.sessions) if not session.archived]
    if listed:
        names = {adapter.id: adapter.name for adapter in site().lookup.adapters().values()}
        choices = filter_choices(listed, names, request.args)
        rows = [site().renderer.row(session) for session in listed if choices.matches(session)]
        return {"sessions": rows, "filter": choices, "lost": lost}
    rows = []
    adapters = adapter_choices(runtime)
    return {
        "sessions": rows,
        "lost": lost,
        "archived": bool(snapshot.sessions),
        "demo": next((adapter for adapter in adapters if adapter.id == "demo"), None),
        "adapters": [each for each in adapters if each.program and each.id != "demo"],
        "folder": "" if server().on_hub else default_folder(runtime),
    }


def _abilities(info: AdapterInfo | None) -> dict[str, Any]:
    able = info.capabilities if info else None
    return {
        "modes": info.permission_modes if info and able and able.permission_modes else (),
        "models": info.models if info else (),
        "commands": info.slash_commands if info else (),
        "can_interrupt": bool(able and able.interrupt),
    }


def _screen(runtime: Transport, session_id: str) -> dict[str, Any]:
    try:
        screen: Screen | None = runtime.screen(session_id)
    except ClawTapError:
        screen = None
    html = Markup(screen_html(screen).rstrip()) if screen else ""  # noqa: S704 -- escaped by the server
    return {"screen": screen, "screen_html": html}
