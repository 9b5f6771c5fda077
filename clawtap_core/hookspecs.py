"""The plugin contract: what an adapter implements.

An adapter is a module (or object) named by an entry point of the group `clawtap`:

    [options.entry_points]
    clawtap =
        mycli = clawtap_mycli

    from clawtap_core import AdapterInfo, hookimpl

    @hookimpl
    def adapter_info():
        return AdapterInfo(id="mycli", name="My CLI", commands=("mycli",))

Only `adapter_info` is required. Hooks are pure: data in, data out, no tmux, files, clock or
network; the core does all the I/O. An implementation takes only the arguments it needs. `None`
means "not mine" or "nothing to say". A session's hooks are called through its own adapter only.
What they raise is caught, and a call that takes longer than the host's limit is ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import click
    from flask import Flask

    from clawtap_core.model import (
        Action,
        AdapterInfo,
        Daemon,
        Event,
        HookConfig,
        HookEndpoint,
        HookReport,
        Launch,
        LaunchRequest,
        LiveCheck,
        Notice,
        NoticeAnswers,
        Parsed,
        Peer,
        Previous,
        PromptForm,
        Response,
        Screen,
        SeenState,
        Session,
        Steps,
        TranscriptInfo,
        TranscriptSource,
    )

PROJECT = "clawtap"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


# The adapter, and how its CLI is started


@hookspec
def adapter_info() -> AdapterInfo:
    """Return the adapter's id, name, commands and capabilities. Called once, at start.

    A plugin without this hook is not an adapter; it may still notify or add commands and routes.
    """


@hookspec(firstresult=True)
def launch(request: LaunchRequest) -> Launch | None:
    """Return how to start the CLI.

    :param request: folder, first message, model, mode, effort, session to resume, extra arguments.
    :returns: the program's arguments and additions to its environment; None for values that the
        CLI does not have, such as an unknown model.
    """


# What a screen shows


@hookspec(firstresult=True)
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Return the prompt on a new screen, complete or not at all.

    :param screen: what the pane shows now; cursor, title and alternate flag may be unknown.
    :returns: None when no prompt is open, when it is only half painted, or only quoted.
    """


@hookspec(firstresult=True)
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Return what the session does. Called for every new screen, and once more when it is still.

    :param screen: what the pane shows now.
    :param previous: the last state seen, and the seconds since the text last changed.
    :returns: None when the screen fits no state; the core then shows it as an unknown prompt.
    """


# How it is answered


@hookspec(firstresult=True)
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of an answer. Called with each new screen until done, up to 40 times.

    :param prompt: the prompt as it was first seen, with what became known since.
    :param response: the answer, validated against what the prompt offers.
    :param screen: the current screen, on which this prompt was just recognised.
    :param progress: the progress in the Steps of the last call; None in the first call.
    :returns: None if this answer cannot be given (the user gets a 422).
    """


@hookspec(firstresult=True)
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Return the next steps through a list that scrolls, and back. Called on `expand`.

    :param seen: the forms read on every screen since the start, in order.
    :returns: with `done`, `form` holds the prompt with all its options.
    """


@hookspec(firstresult=True)
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of typing and sending a message. Called until done.

    The core makes the first call only on an idle, empty composer. With an
    empty text it is called to take out a message of ours that the composer still holds.
    """


@hookspec(firstresult=True)
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Return the next steps of an interrupt, or of a switch of mode or model. Called until done.

    :param action: Interrupt, SwitchMode or SwitchModel.
    :returns: None if the CLI cannot do it (the user gets a 422).
    """


# Transcripts, CLI hooks and protocols


@hookspec(firstresult=True)
def transcript_sources(env: Mapping[str, str], cwd: str) -> Sequence[TranscriptSource] | None:
    """Return where the transcripts of a CLI with this environment and folder are."""


@hookspec(firstresult=True)
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Return whose conversation a file holds, from its first 64 KB; None for other files."""


@hookspec(firstresult=True)
def parse_transcript(data: bytes, state: Any) -> Parsed | None:
    """Return the messages in new bytes, or in the whole file where it is rewritten.

    :param data: what follows the bytes consumed before; the last line may be incomplete.
    :param state: the state in the result of the last call; None in the first call.
    :returns: messages and events that are new or changed, also of a whole file; unknown records
        are skipped and counted.
    """


@hookspec(firstresult=True)
def state_file(env: Mapping[str, str], pid: int) -> str | None:
    """Return the path of the file that a CLI keeps about one of its processes.

    :param pid: the first process of the CLI.
    """


@hookspec(firstresult=True)
def parse_state_file(data: bytes) -> HookReport | None:
    """Return the conversation and the state that this file reports.

    It is a second opinion: while it says busy, an unreadable screen is not an unknown prompt,
    and a conversation that no CLI hook reported is found by its id.
    """


@hookspec(firstresult=True)
def hook_config(endpoint: HookEndpoint) -> HookConfig | None:
    """Return what `clawtap hooks install` merges into the CLI's settings.

    :param endpoint: the command that CLI hooks run, the environment, the CLI's version.
    """


@hookspec(firstresult=True)
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Return what the payload of a CLI hook reports.

    :returns: the session, its state, a tool call or a prompt.
    """


@hookspec(firstresult=True)
def answer_hook(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    """Return the reply of a CLI hook whose prompt was answered.

    :returns: None if a hook cannot say this; in a pane, keys then do.
    """


@hookspec(firstresult=True)
def merge_prompt(seen: PromptForm, reported: PromptForm) -> PromptForm | None:
    """Return one prompt from one on the screen and one that a hook or a protocol reported.

    Both may be reports of a hook; `seen` is then the later one.

    :returns: None if they are two prompts.
    """


@hookspec(firstresult=True)
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Return the sans-I/O peer that speaks the CLI's protocol over stdio."""


@hookspec(firstresult=True)
def open_daemon(
    env: Mapping[str, str], cwd: str, cli_session_id: str | None, argv: Sequence[str]
) -> Daemon | None:
    """Return the server that the CLI in a pane shares with other clients.

    Called while a prompt is open. The core connects to it and answers over it instead of by keys;
    where the server is missing or does not know the pane, keys are used.

    :param env: the environment of the CLI, or what CLIs inherit where that cannot be read.
    :param cli_session_id: the CLI's own id of the conversation in the pane, if known.
    :param argv: the command line of the CLI; empty if it cannot be read.
    """


@hookspec(firstresult=True)
def live_check() -> LiveCheck | None:
    """Return what `clawtap doctor --live` runs the CLI against: a scripted model and a HOME.

    Import it in this hook and not at the top of the module, so that no server loads it.
    """


# Contributions, from every plugin


@hookspec
def notify(event: Event, session: Session) -> None:
    """Notify the user elsewhere that a prompt waits, or that a turn ended or failed.

    The session has the title that the page shows. This hook may do I/O; it runs in a thread of
    its own and is ended after 20 seconds. All plugins are called.
    """


@hookspec
def send_notice(notice: Notice, answers: NoticeAnswers) -> None:
    """Send a notice that is due now: what `notify` reports, without what the user has seen.

    Replace an earlier notice with the same tag; one of the kind "withdrawn" removes it. This hook
    may do I/O and is ended after 20 seconds. All plugins are called.

    :param answers: gives tokens for buttons that answer the prompt, or none.
    """


@hookspec
def register_commands(cli: click.Group) -> None:
    """Add commands to the command line. All plugins are called."""


@hookspec
def register_routes(app: Flask) -> None:
    """Add blueprints to the server's app. All plugins are called."""
