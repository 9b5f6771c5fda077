"""The adapter: each hook that the demo agent needs, in a few lines.

It is the reference for authors: docs/adapters.md walks through it.
"""

from __future__ import annotations

import shutil
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clawtap_core import (
    Action,
    AdapterInfo,
    Brand,
    Capabilities,
    Choice,
    Interrupt,
    Launch,
    LaunchRequest,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    SwitchMode,
    hookimpl,
    keystrokes,
)
from clawtap_demo import answering
from clawtap_demo.conversing import describe_transcript, parse_transcript, transcript_sources
from clawtap_demo.reading import read_prompt, read_state

__all__ = ["describe_transcript", "parse_transcript", "transcript_sources"]
_ICON = '<path d="M12 3l7 9-7 9-7-9z" fill="none" stroke="currentColor" stroke-width="2"/>'
_MODES = ("ask", "auto-edit", "plan")
_MODELS = ("swift", "sage")
_SCRIPT = shutil.which("clawtap-demo-agent", path=str(Path(sys.executable).parent))
PROGRAM = (_SCRIPT,) if _SCRIPT else (sys.executable, "-m", "clawtap_demo.agent")


@hookimpl
def adapter_info() -> AdapterInfo:
    """Who we are."""
    return AdapterInfo(
        id="demo",
        name="Demo agent",
        provider="ClawTap",
        brand=Brand(
            color="#14b8a6",
            color_bg="#14b8a622",
            gradient=("#14b8a6", "#6366f1"),
            glow="rgba(20,184,166,0.3)",
            icon_type="diamond",
            icon=_ICON,
            ansi="38;5;80",
        ),
        commands=("clawtap-demo-agent",),
        version_argv=(*PROGRAM, "--version"),
        install="pip install clawtap-demo",
        capabilities=Capabilities(
            plan_mode=True,
            permission_modes=True,
            interrupt=True,
            streaming=True,
            permission_mode_type="cycle",
        ),
        models=(Choice("swift", "Swift", "answers at once"), Choice("sage", "Sage", "says more")),
        permission_modes=tuple(Choice(mode, mode.capitalize()) for mode in _MODES),
    )


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """The program and its flags; the first message goes in by argv."""
    known = {None, *_MODELS, *_MODES}
    if request.resume or not {request.model, request.permission_mode} <= known:
        return None
    flags = {"--model": request.model, "--mode": request.permission_mode}
    given = [part for flag, value in flags.items() if value for part in (flag, value)]
    message = ("--", request.message) if request.message else ()
    session = str(uuid.uuid4())
    argv = (*PROGRAM, "--session", session, *given, *request.args, *message)
    return Launch(argv, cli_session_id=session, includes_message=bool(message))


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """The box at the end of the screen, when it has a header that we know."""
    return read_prompt(screen)


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """The composer at the end of the screen, with or without a spinner above it."""
    return read_state(screen)


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Arrows to the row, what is to be typed, Enter."""
    return answering.answer(prompt, response, screen, progress)


@hookimpl
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Through a list that scrolls, and back."""
    return answering.reveal(prompt, screen, seen, progress)


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Place the text, see it, then Enter."""
    return keystrokes.compose(text, screen, progress, _WAYS)


def _read_draft(screen: Screen) -> keystrokes.Draft | None:
    seen = read_state(screen)
    if seen is None or seen.draft is None:
        return None
    return keystrokes.Draft(seen.draft, idle=seen.state is SessionState.IDLE)


_WAYS = keystrokes.ComposerProfile(_read_draft, after_text=0.0)


@hookimpl
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Escape interrupts, Shift+Tab goes to the next mode, /model switches the model."""
    seen = read_state(screen)
    if seen is None:
        return None
    if isinstance(action, Interrupt):
        return keystrokes.interrupt(seen) or Steps(done=True)
    if isinstance(action, SwitchMode):
        known = action.mode in _MODES and seen.mode in _MODES
        return keystrokes.cycle(action.mode, seen.mode, "BTab", progress) if known else None
    if action.model not in _MODELS:
        return None
    if seen.model == action.model:
        return Steps(done=True)
    return compose(f"/model {action.model}", screen, progress)
