"""The forms of the pages; the page's script sends the same ones."""

from __future__ import annotations

from flask import Blueprint, request
from markupsafe import Markup
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound
from clawtap_core.model import MAX_ATTACHMENT_BYTES, Attachment, Prompt, Role, Session
from clawtap_core.schemas import (
    MOST_FILES,
    KeyPad,
    KeysBodySchema,
    MessageBodySchema,
    MessageToSend,
    ModeBodySchema,
    ModelBodySchema,
    RenameBodySchema,
    ResumeBodySchema,
    SendBodySchema,
    read_body,
)
from clawtap_core.schemas.answer_bodies import MOST_TOGETHER
from clawtap_core.server.batch import BatchDecision, decide_all
from clawtap_core.server.context import server, transport
from clawtap_core.server.roles import requires
from clawtap_core.transport import Transport
from webui.site import site
from webui.viewmodels.form_response import form_response
from webui.views import errors
from webui.views.replies import once, reply

EXTENSION_SECONDS = 600.0
blueprint = Blueprint("webui_forms", __name__)
errors.install(blueprint)


@blueprint.post("/prompts/<request_id>/answer")
@requires(Role.ANSWER)
def answer(request_id: str) -> Response:
    """Answer a prompt, then show what needs the user next."""
    runtime = transport()
    prompt = runtime.prompt(request_id)
    if request.form.get("sessionId") != prompt.session_id:
        raise NotFound("this prompt belongs to another session", code=ErrorCode.PROMPT_NOT_FOUND)
    answered = runtime.respond(prompt.session_id, form_response(prompt, request.form))
    return reply("/", site().renderer.prompt(answered))


@blueprint.post("/prompts/decide")
@requires(Role.ANSWER)
def decide() -> Response:
    """Approve or deny several prompts of one tool."""
    ids = tuple(request.form.getlist("requestId")[:MOST_TOGETHER])
    decision = "deny" if request.form.get("decision") == "deny" else "approve"
    results = decide_all(transport(), BatchDecision(ids, decision))
    errors_met = [result.error for result in results if result.error]
    if errors_met and len(errors_met) == len(results):
        raise errors_met[0]
    prompts = [result.prompt for result in results if result.prompt]
    parts = [*map(site().renderer.prompt, prompts)]
    if errors_met:
        done = f"{'Denied' if decision == 'deny' else 'Allowed'} {len(prompts)} of {len(results)}"
        words = f"{done}. {len(errors_met)} not: {errors_met[0].message}"
        parts.append(Markup('<p class="toast">{}</p>').format(words))
    return reply("/", *parts)


@blueprint.post("/prompts/<request_id>/expand")
@requires(Role.ANSWER)
def expand(request_id: str) -> Response:
    """Read the options that a list hides."""
    runtime = transport()
    expanded = runtime.expand(runtime.prompt(request_id).session_id, request_id)
    return _to_prompt(expanded)


@blueprint.post("/prompts/<request_id>/extend")
@requires(Role.ANSWER)
def extend(request_id: str) -> Response:
    """Give a prompt ten minutes more than it has."""
    extended = once(lambda: transport().extend_by(request_id, EXTENSION_SECONDS))
    return _to_prompt(transport().prompt(extended.request_id))


@blueprint.post("/sessions/<session_id>/mute")
def mute(session_id: str) -> Response:
    """Mute or unmute a session."""
    transport().session(session_id)
    server().notices.preferences.mute(session_id, muted="muted" in request.form)
    return reply("/settings" if "settings" in request.form else f"/sessions/{session_id}")


@blueprint.post("/sessions/<session_id>/message")
@requires(Role.ANSWER)
def message(session_id: str) -> Response:
    """Send a message, or queue it, with the files that were chosen or attached before."""
    request.max_content_length = MOST_FILES * MAX_ATTACHMENT_BYTES
    runtime = transport()
    body: dict[str, object] = {"message": _text("message")}
    files = [file for file in request.files.getlist("files") if file.filename]
    attached = request.form.getlist("attachment")
    if files or attached:
        # A message may be empty where files go with it; their names stand for them here.
        body["attachments"] = [*attached, *(file.filename for file in files)]
    message: MessageToSend = read_body(SendBodySchema, body)
    once(lambda: _send(runtime, session_id, message.message, files, attached))
    return _with_queue(runtime, session_id)


def _send(
    runtime: Transport, session_id: str, text: str, files: list[FileStorage], attached: list[str]
) -> None:
    """Send a message with files; where it is refused, its new files are deleted."""
    added: list[Attachment] = []
    try:
        for file in files:
            data = file.stream.read(MAX_ATTACHMENT_BYTES + 1)
            added.append(runtime.attach(session_id, file.filename or "", data))
        ids = [*attached, *(attachment.id for attachment in added)]
        runtime.message(session_id, text, ids)
    except ClawTapError:
        for attachment in added:
            runtime.detach(session_id, attachment.id)
        raise


@blueprint.post("/sessions/<session_id>/queue/<message_id>/unsend")
@requires(Role.ANSWER)
def unsend(session_id: str, message_id: str) -> Response:
    """Remove a queued message."""
    runtime = transport()
    once(lambda: runtime.take_back(session_id, message_id))
    return _with_queue(runtime, session_id)


@blueprint.post("/sessions/<session_id>/queue/<message_id>/edit")
@requires(Role.ANSWER)
def edit(session_id: str, message_id: str) -> Response:
    """Change a queued message."""
    runtime = transport()
    text = read_body(MessageBodySchema, {"message": _text("message")})
    runtime.edit_queued(session_id, message_id, text)
    return _with_queue(runtime, session_id)


@blueprint.post("/sessions/<session_id>/resume")
def resume(session_id: str) -> Response:
    """Resume the conversation of a session that ended, in a new one."""
    return _to_session(once(lambda: transport().resume(session_id).id))


@blueprint.post("/sessions/<session_id>/resume-later")
def resume_later(session_id: str) -> Response:
    """Send a message when the session's usage limit has ended, or no longer do so."""
    cancels = "cancel" in request.form
    message = None if cancels else read_body(ResumeBodySchema, {"message": _text("message")})
    return _limit_changed(transport().resume_later(session_id, message))


@blueprint.post("/sessions/<session_id>/dismiss-limit")
def dismiss_limit(session_id: str) -> Response:
    """Treat the session's usage limit as ended."""
    return _limit_changed(transport().dismiss_limit(session_id))


@blueprint.post("/sessions/<session_id>/interrupt")
def interrupt(session_id: str) -> Response:
    """Stop what the session does now."""
    transport().interrupt(session_id)
    return _to_session(session_id)


@blueprint.post("/sessions/<session_id>/mode")
def mode(session_id: str) -> Response:
    """Switch the permission mode."""
    transport().permission_mode(session_id, read_body(ModeBodySchema, _fields("mode")))
    return _to_session(session_id)


@blueprint.post("/sessions/<session_id>/model")
def model(session_id: str) -> Response:
    """Switch the model."""
    transport().model(session_id, read_body(ModelBodySchema, _fields("model")))
    return _to_session(session_id)


@blueprint.post("/sessions/<session_id>/keys")
def keys(session_id: str) -> Response:
    """Press a key or type a line, if the screen is still the one that was shown."""
    body: dict[str, object] = {"screenRev": request.form.get("screenRev", -1, type=int)}
    if key := request.form.get("key"):
        body["keys"] = [key]
    else:
        body["text"] = request.form.get("text", "")
    pad: KeyPad = read_body(KeysBodySchema, body)
    once(lambda: transport().keys(session_id, pad.screen_rev, keys=pad.keys, text=pad.text))
    return reply(f"/sessions/{session_id}#screen")


@blueprint.post("/sessions/<session_id>/rename")
def rename(session_id: str) -> Response:
    """Rename the session."""
    renamed = transport().rename(session_id, read_body(RenameBodySchema, _fields("title")))
    renderer = site().renderer
    return reply(f"/sessions/{session_id}", renderer.row(renamed), renderer.head(renamed))


@blueprint.post("/sessions/<session_id>/archive")
def archive(session_id: str) -> Response:
    """Take the session off the list, or put it back."""
    changed = transport().archive(session_id, "undo" not in request.form)
    renderer = site().renderer
    return reply("/", renderer.row(changed), renderer.head(changed))


@blueprint.post("/sessions/<session_id>/end")
def end(session_id: str) -> Response:
    """End a launched session; release an adopted one."""
    # A second time it would remove the session that has ended.
    once(lambda: transport().end(session_id))
    return reply("/")


def _limit_changed(session: Session) -> Response:
    renderer = site().renderer
    return reply(f"/sessions/{session.id}", renderer.head(session), renderer.over(session))


def _fields(*names: str) -> dict[str, str]:
    return {name: request.form.get(name, "") for name in names}


def _text(name: str) -> str:
    # Forms send line ends as CR LF; a CLI wants LF.
    return request.form.get(name, "").replace("\r\n", "\n")


def _to_session(session_id: str) -> Response:
    return reply(f"/sessions/{session_id}")


def _with_queue(runtime: Transport, session_id: str) -> Response:
    queue = site().renderer.queue(session_id, runtime.queue(session_id))
    return reply(f"/sessions/{session_id}", queue)


def _to_prompt(prompt: Prompt) -> Response:
    return reply(f"/#prompt-{prompt.request_id}", site().renderer.prompt(prompt))
