"""ClawTap adapter for My CLI: what its screen asks, and which keys answer.

The functions marked `@hookimpl` are called by ClawTap. They only compute: they get a screen and
return values, and open no files. ClawTap watches the pane, presses the keys and checks them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from clawtap_core import (
    Action,
    AdapterInfo,
    Capabilities,
    Effect,
    Interrupt,
    Kind,
    Launch,
    LaunchRequest,
    Option,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    hookimpl,
    keystrokes,
)
from clawtap_core.keystrokes import ComposerProfile, KeyProfile, choose, draft_of, send_one_key
from clawtap_core.screens import ParsedPrompt, numbered_rows, parsed_once, slugs, split_hint

# How the CLI looks. Change these first, until `clawtap detect --explain` reads your recordings.
TITLE = re.compile(r"\S.*\?")  # the row that asks: it begins in the first column
FOOTER = re.compile(r"Enter to choose.*")  # the row below the options: the prompt is complete
BUSY = re.compile(r"Working.*")  # the last row while the CLI works
COMPOSER = re.compile(r"> ?(?P<draft>.*)")  # the last row when the user can write

# What the options mean. ClawTap approves, denies and colors by it; the rest is Effect.OTHER.
EFFECTS = {
    "Yes": Effect.ALLOW_ONCE,
    "Yes, and don't ask again": Effect.ALLOW_ALWAYS,
    "No": Effect.DENY,
}

# How the CLI takes keys: `settled` are the seconds that it ignores keys after it has painted.
KEYS = KeyProfile(settled=0.1)


@hookimpl
def adapter_info() -> AdapterInfo:
    """Say who the adapter is; `commands` are the programs that a pane of this CLI runs."""
    return AdapterInfo(
        id="mycli",
        name="My CLI",
        commands=("mycli",),
        capabilities=Capabilities(interrupt=True),
    )


@hookimpl
def launch(request: LaunchRequest) -> Launch | None:
    """Return how the CLI is started, or None for what it cannot do."""
    if request.resume or request.model or request.permission_mode:
        return None
    return Launch(("mycli", *request.args))


@parsed_once  # several hooks read the same screen
def read_prompt(screen: Screen) -> ParsedPrompt | None:
    """Return the prompt with the places of its rows, or None if there is none or half of one."""
    lines = screen.text.split("\n")
    # Any text may look like a prompt. The real one is the last thing on the screen, and whole.
    if not FOOTER.fullmatch(lines[-1]):
        return None
    rows = numbered_rows(lines[:-1], screen.cols)
    if not any(row.selected for row in rows):
        return None
    above = range(rows[0].first - 1, -1, -1)
    top = next((row for row in above if TITLE.fullmatch(lines[row])), None)
    if top is None:
        return None
    # "No (esc)" is the label "No" and the hint "esc".
    words = [split_hint(row.label) for row in rows]
    names = slugs(label for label, _ in words)
    form = PromptForm(
        Kind.PERMISSION,
        title=lines[top],
        description="\n".join(line.strip() for line in lines[top + 1 : rows[0].first]).strip(),
        options=tuple(
            Option(name, label, EFFECTS.get(label, Effect.OTHER), hint)
            for name, (label, hint) in zip(names, words, strict=True)
        ),
        selected=next(name for name, row in zip(names, rows, strict=True) if row.selected),
        top=top,
    )
    plain = (replace(row, label=label) for row, (label, _) in zip(rows, words, strict=True))
    return ParsedPrompt(form, tuple(plain))


@hookimpl
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt that is on the screen."""
    parsed = read_prompt(screen)
    return parsed.form if parsed else None


@hookimpl
def detect_state(screen: Screen) -> SeenState | None:
    """Return what the CLI does now; None for a screen that is not understood."""
    if read_prompt(screen):
        return SeenState(SessionState.WAITING)
    last = screen.text.split("\n")[-1]
    if BUSY.fullmatch(last):
        return SeenState(SessionState.BUSY)
    if composer := COMPOSER.fullmatch(last):
        return SeenState(SessionState.IDLE, draft=composer["draft"])
    # A user then gets the screen with a key pad, which is better than a wrong guess.
    return None


@hookimpl
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next keys of an answer; called again with each new screen until it is done."""
    parsed = read_prompt(screen)
    if parsed is None:
        # Half painted: look again.
        return Steps(progress=progress)
    option = prompt.option(response.selected_option or "")
    if option is None:
        return None
    label = option.label
    # One arrow at a time, read back each time; Enter only when the cursor is on the option.
    return send_one_key(parsed, progress, lambda progress: choose(parsed, label, KEYS, progress))


@hookimpl
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Type a message, read it back, then press Enter."""
    # Many programs take a line break for Enter. Remove this if yours keeps those of a paste.
    if "\n" in text:
        return None
    profile = ComposerProfile(lambda screen: draft_of(detect_state(screen)))
    return keystrokes.compose(text, screen, progress, profile)


@hookimpl
def control(action: Action, screen: Screen) -> Steps | None:
    """Press Escape to interrupt; None for what the CLI cannot do, such as switching modes."""
    if isinstance(action, Interrupt):
        return keystrokes.interrupt(detect_state(screen)) or Steps(done=True)
    return None
