"""What the forms of the pages do where no script runs: the same as the API, then a redirect."""

from __future__ import annotations

from datetime import datetime, timezone

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, ErrorCode, Impossible, NotFound
from clawtap_core.model import MAX_ATTACHMENT_BYTES, Attachment, LaunchRequest
from clawtap_core.schemas import (
    MOST_FILES,
    KeyPad,
    KeysBodySchema,
    MessageBodySchema,
    ModeBodySchema,
    ModelBodySchema,
    RenameBodySchema,
    Said,
    SaidBodySchema,
    read_body,
)
from clawtap_core.server.context import transport
from webui.viewmodels.form_response import response
from webui.views import errors

LONGER = 600.0
blueprint = Blueprint("webui_actions", __name__)
errors.install(blueprint)


@blueprint.post("/prompts/<request_id>/answer")
def answer(request_id: str) -> Response:
    """Answer a prompt, then show what waits next."""
    agent = transport()
    prompt = agent.prompt(request_id)
    if request.form.get("sessionId") != prompt.session_id:
        raise NotFound("this prompt belongs to another session", code=ErrorCode.PROMPT_NOT_FOUND)
    agent.respond(prompt.session_id, response(prompt, request.form))
    return redirect("/", 303)


@blueprint.post("/prompts/<request_id>/expand")
def expand(request_id: str) -> Response:
    """Read the options that a list hides."""
    agent = transport()
    agent.expand(agent.prompt(request_id).session_id, request_id)
    return redirect(f"/#prompt-{request_id}", 303)


@blueprint.post("/prompts/<request_id>/extend")
def extend(request_id: str) -> Response:
    """Give a prompt ten minutes more than it has."""
    agent = transport()
    until = agent.prompt(request_id).expires_at
    if until is not None:
        left = (until - datetime.now(timezone.utc)).total_seconds()
        agent.extend(request_id, max(0.0, left) + LONGER)
    return redirect(f"/#prompt-{request_id}", 303)


@blueprint.post("/sessions/<session_id>/message")
def message(session_id: str) -> Response:
    """Send a message with the files that were chosen, or queue it."""
    request.max_content_length = MOST_FILES * MAX_ATTACHMENT_BYTES
    text = request.form.get("message", "").replace("\r\n", "\n")
    files = [file for file in request.files.getlist("files") if file.filename]
    named = {"attachments": [file.filename for file in files]} if files else {}
    said: Said = read_body(SaidBodySchema, {"message": text, **named})
    agent = transport()
    kept: list[Attachment] = []
    try:
        for file in files:
            data = file.stream.read(MAX_ATTACHMENT_BYTES + 1)
            kept.append(agent.attach(session_id, file.filename or "", data))
        agent.message(session_id, said.message, [each.id for each in kept])
    except ClawTapError:
        for each in kept:
            agent.detach(session_id, each.id)
        raise
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/queue/<message_id>/take-back")
def take_back(session_id: str, message_id: str) -> Response:
    """Take a queued message back."""
    transport().take_back(session_id, message_id)
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/queue/<message_id>/edit")
def edit(session_id: str, message_id: str) -> Response:
    """Change a queued message."""
    text = request.form.get("message", "").replace("\r\n", "\n")
    body = read_body(MessageBodySchema, {"message": text})
    transport().edit_queued(session_id, message_id, body)
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/resume")
def resume(session_id: str) -> Response:
    """Go on with the conversation of a session that ended, in a new one."""
    agent = transport()
    old = agent.session(session_id)
    if not old.cli_session_id:
        raise Impossible(
            "this conversation cannot be resumed: the CLI did not report its id",
            code=ErrorCode.NO_RESUME,
        )
    channel = "protocol" if old.channel == "protocol" else "terminal"
    wanted = LaunchRequest(
        old.adapter,
        old.cwd,
        permission_mode=old.mode,
        channel=channel,
        resume=old.cli_session_id,
    )
    return _to(agent.start(wanted).id)


@blueprint.post("/sessions/<session_id>/interrupt")
def interrupt(session_id: str) -> Response:
    """Stop what the session does now."""
    transport().interrupt(session_id)
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/mode")
def mode(session_id: str) -> Response:
    """Switch the permission mode."""
    transport().permission_mode(session_id, read_body(ModeBodySchema, _fields("mode")))
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/model")
def model(session_id: str) -> Response:
    """Switch the model."""
    transport().model(session_id, read_body(ModelBodySchema, _fields("model")))
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/keys")
def keys(session_id: str) -> Response:
    """Press a key or type a line, if the screen is still the one that was shown."""
    revision = request.form.get("screenRev", "")
    body: dict[str, object] = {"screenRev": int(revision) if revision.isdecimal() else -1}
    if key := request.form.get("key"):
        body["keys"] = [key]
    else:
        body["text"] = request.form.get("text", "")
    pad: KeyPad = read_body(KeysBodySchema, body)
    transport().keys(session_id, pad.screen_rev, keys=pad.keys, text=pad.text)
    return redirect(f"/sessions/{session_id}#screen", 303)


@blueprint.post("/sessions/<session_id>/rename")
def rename(session_id: str) -> Response:
    """Give the session another title."""
    transport().rename(session_id, read_body(RenameBodySchema, _fields("title")))
    return _to(session_id)


@blueprint.post("/sessions/<session_id>/end")
def end(session_id: str) -> Response:
    """End a launched session; let go of an adopted one."""
    transport().end(session_id)
    return redirect("/", 303)


def _fields(*names: str) -> dict[str, str]:
    return {name: request.form.get(name, "") for name in names}


def _to(session_id: str) -> Response:
    return redirect(f"/sessions/{session_id}", 303)
