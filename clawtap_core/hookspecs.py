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
means "not mine" or "nothing to say". A session's hooks are called through its own adapter only;
what they raise is caught, and one that takes longer than the host's limit is ended.
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


# Who the adapter is, and how its CLI is started


@hookspec
def adapter_info() -> AdapterInfo:
    """Called once, when the plugin is loaded: the adapter's id, name, commands, capabilities.

    A plugin without this hook is no adapter; it may still notify or add commands and routes.
    """


@hookspec(firstresult=True)
def launch(request: LaunchRequest) -> Launch | None:
    """Called to start the CLI.

    :param request: folder, first message, model, mode, effort, session to resume, extra arguments.
    :returns: the program's arguments and additions to its environment; None: it cannot be started.
    """


# What a screen shows


@hookspec(firstresult=True)
def detect_prompt(screen: Screen) -> PromptForm | None:
    """Called for every new screen: the prompt it shows, complete or not at all.

    :param screen: what the pane shows now; cursor, title and alternate flag may be unknown.
    :returns: None when no prompt is open, when it is only half painted, or only quoted.
    """


@hookspec(firstresult=True)
def detect_state(screen: Screen, previous: Previous | None) -> SeenState | None:
    """Called for every new screen, and once more when the screen has been still for a while.

    :param screen: what the pane shows now.
    :param previous: the last state seen, and the seconds since the text last changed.
    :returns: None when the screen fits no state; the core then shows it as an unknown prompt.
    """


# How it is answered


@hookspec(firstresult=True)
def respond(prompt: PromptForm, response: Response, screen: Screen, progress: Any) -> Steps | None:
    """Called to answer a prompt, and again with each fresh screen until done (at most 40 rounds).

    :param prompt: what is asked, as it was first seen, with all that became known since.
    :param response: what was answered; checked against what the prompt offers.
    :param screen: the screen now, on which this prompt was just recognised.
    :param progress: what the last call noted in its Steps; None in the first.
    :returns: the next steps; None: this answer cannot be given (the user gets a 422).
    """


@hookspec(firstresult=True)
def reveal(
    prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
) -> Steps | None:
    """Called on `expand`: move through a list that scrolls, and back to where it stood.

    :param seen: the forms read on every screen since the start, in order.
    :returns: the next steps; with `done`, `form` holds the prompt with all its options.
    """


@hookspec(firstresult=True)
def compose(text: str, screen: Screen, progress: Any) -> Steps | None:
    """Called to type a user's message and send it, and again until done.

    The core calls it first on an idle, empty composer only, and sees that the text left. With an
    empty text it is called to take out a message of ours that the composer still holds.
    """


@hookspec(firstresult=True)
def control(action: Action, screen: Screen, progress: Any) -> Steps | None:
    """Called to interrupt, or to switch the mode or the model, and again until done.

    :param action: Interrupt, SwitchMode or SwitchModel.
    :returns: None when the CLI can't (the user gets a 422).
    """


# What transcripts and hooks tell


@hookspec(firstresult=True)
def transcript_sources(env: Mapping[str, str], cwd: str) -> Sequence[TranscriptSource] | None:
    """Called to find transcripts: where they lie for a CLI with this environment and folder."""


@hookspec(firstresult=True)
def describe_transcript(path: str, head: bytes) -> TranscriptInfo | None:
    """Called with the beginning of a file: whose conversation it is. None: not a transcript."""


@hookspec(firstresult=True)
def parse_transcript(data: bytes, state: Any) -> Parsed | None:
    """Called with bytes that are new (the whole file, where it is rewritten).

    :param data: what follows the bytes consumed before; the last line may be incomplete.
    :param state: what the last call noted; None in the first.
    :returns: messages and events that are new or changed, also of a whole file; unknown records
        are skipped and counted.
    """


@hookspec(firstresult=True)
def state_file(env: Mapping[str, str], pid: int) -> str | None:
    """Called for a CLI in a pane that keeps a file about what its process does: the file's path.

    :param pid: the first process of the CLI.
    """


@hookspec(firstresult=True)
def parse_state_file(data: bytes) -> HookReport | None:
    """Called with that file: which conversation the CLI holds, and what it does, as far as told.

    It is a second opinion: a screen that explains nothing is no unknown prompt while this says
    busy, and a conversation that began without a word of a hook is found by its id.
    """


@hookspec(firstresult=True)
def hook_config(endpoint: HookEndpoint) -> HookConfig | None:
    """Called by `clawtap hooks install`: what to merge into the CLI's settings.

    :param endpoint: the bridge that hooks run, the environment, the CLI's version where known.
    """


@hookspec(firstresult=True)
def parse_hook(event: str, payload: Mapping[str, Any]) -> HookReport | None:
    """Called when one of the CLI's hooks reports: what its payload tells.

    :returns: whose hook it is, what the session does, a call or a prompt; None: nothing to say.
    """


@hookspec(firstresult=True)
def answer_hook(prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
    """Called when a prompt that a hook waits for was answered: what the hook returns to the CLI.

    :returns: None: a hook cannot say this; in a pane it is then answered by keys.
    """


@hookspec(firstresult=True)
def merge_prompt(seen: PromptForm, known: PromptForm) -> PromptForm | None:
    """Called with a prompt on the screen and one from a hook, a transcript or a daemon.

    Also with two tellings of a hook: `seen` is the later one.

    :returns: the one prompt that both are, with all that either knows; None: two prompts.
    """


@hookspec(firstresult=True)
def open_protocol(request: LaunchRequest) -> Peer | None:
    """Called to run the CLI over stdio: the sans-I/O peer that speaks its machine protocol."""


@hookspec(firstresult=True)
def open_daemon(env: Mapping[str, str], cwd: str, cli_session_id: str | None) -> Daemon | None:
    """Called when a prompt stands in a pane: the server that its CLI shares with other clients.

    The core connects to its socket, and answers over it in place of keys. A server that is not
    there, or knows nothing of this pane, costs nothing.

    :param cli_session_id: the CLI's own id of the conversation in the pane, where it is known.
    """


# Contributions, from every plugin


@hookspec
def notify(event: Event, session: Session) -> None:
    """Called when a prompt waits, or a turn ended or failed, to tell the user elsewhere.

    This hook is an effect: it may do I/O, in a thread of its own. All plugins are called.
    """


@hookspec
def register_commands(cli: click.Group) -> None:
    """Called when the command line starts: add commands to `cli`. All plugins are called."""


@hookspec
def register_routes(app: Flask) -> None:
    """Called when the server's app is made: add blueprints to `app`. All plugins are called."""
