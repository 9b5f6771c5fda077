"""One adapter's hooks as typed, guarded methods, which hide pluggy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, TypeVar

import pluggy

from clawtap_core.host.failure import describe_failure
from clawtap_core.host.guarded_calls import GuardedCalls
from clawtap_core.host.limits import TimeLimit
from clawtap_core.host.peer import GuardedPeer
from clawtap_core.host.validation import check_info
from clawtap_core.model import (
    Action,
    AdapterInfo,
    Daemon,
    HookConfig,
    HookEndpoint,
    HookReport,
    Launch,
    LaunchRequest,
    LiveCheck,
    Parsed,
    Peer,
    Previous,
    PromptForm,
    Response,
    Screen,
    SeenState,
    Steps,
    TranscriptInfo,
    TranscriptSource,
)

# Bytes of a transcript that a small, busy machine parses in a second.
SLOWEST = 2_000_000
T = TypeVar("T")


class Adapter:
    """The hooks of one plugin, as typed methods that never raise."""

    def __init__(
        self, name: str, hooks: Mapping[str, pluggy.HookCaller], limit: TimeLimit, seconds: float
    ) -> None:
        self.name = name
        self._calls = GuardedCalls(name, hooks, limit, seconds)
        # Not guarded: a plugin that cannot say who it is does not load.
        try:
            info = limit(seconds, hooks["adapter_info"])
        except Exception as error:
            raise TypeError(f"adapter_info: {describe_failure(error)}") from error
        if len(info) != 1 or not isinstance(info[0], AdapterInfo):
            raise TypeError("adapter_info must return an AdapterInfo")
        self.info: AdapterInfo = check_info(info[0])
        self.id = self.info.id

    def for_session(self, session_id: str) -> Adapter:
        """Return the adapter for one session, whose failures affect no other session."""
        scoped = copy(self)
        scoped._calls = self._calls.for_session(session_id)
        return scoped

    @property
    def health(self) -> str | None:
        """The last failure in any session, or None."""
        return self._calls.health.text

    def valid_form(self, form: PromptForm, hook: str) -> PromptForm | None:
        """Return a peer's form, or None if it cannot be stored and loaded."""
        try:
            return self._calls.validator.form(form)
        except Exception as error:
            self._calls.failed(hook, error)
            return None

    def has(self, hook: str) -> bool:
        """Return True if the adapter implements this hook."""
        return hook in self._calls.hooks

    def launch(self, request: LaunchRequest) -> Launch | None:
        """Return how to start the CLI."""
        return self._call("launch", Launch, request=request)

    def detect_prompt(self, screen: Screen) -> PromptForm | None:
        """Return the prompt on the screen."""
        return self._call("detect_prompt", PromptForm, screen=screen)

    def detect_state(self, screen: Screen, previous: Previous | None) -> SeenState | None:
        """Return the CLI's state on the screen."""
        return self._call("detect_state", SeenState, screen=screen, previous=previous)

    def respond(
        self, prompt: PromptForm, response: Response, screen: Screen, progress: Any
    ) -> Steps | None:
        """Return the next steps of an answer."""
        return self._call(
            "respond", Steps, prompt=prompt, response=response, screen=screen, progress=progress
        )

    def reveal(
        self, prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
    ) -> Steps | None:
        """Return the next steps through a scrolling list."""
        return self._call(
            "reveal", Steps, prompt=prompt, screen=screen, seen=seen, progress=progress
        )

    def compose(self, text: str, screen: Screen, progress: Any) -> Steps | None:
        """Return the next steps of a message."""
        return self._call("compose", Steps, text=text, screen=screen, progress=progress)

    def control(self, action: Action, screen: Screen, progress: Any) -> Steps | None:
        """Return the next steps of an action."""
        return self._call("control", Steps, action=action, screen=screen, progress=progress)

    def transcript_sources(
        self, env: Mapping[str, str], cwd: str
    ) -> Sequence[TranscriptSource] | None:
        """Return where transcripts are."""
        return self._call(
            "transcript_sources",
            Sequence,  # type: ignore[type-abstract]
            env=env,
            cwd=cwd,
        )

    def describe_transcript(self, path: str, head: bytes) -> TranscriptInfo | None:
        """Return whose conversation a file holds."""
        return self._call("describe_transcript", TranscriptInfo, path=path, head=head)

    def parse_transcript(self, data: bytes, state: Any) -> Parsed | None:
        """Parse new bytes of a transcript."""
        # A long line or a whole file may take longer.
        seconds = self._calls.seconds + len(data) / SLOWEST
        return self._calls.call("parse_transcript", Parsed, seconds, data=data, state=state)

    def state_file(self, env: Mapping[str, str], pid: int) -> str | None:
        """Return the file where a process of the CLI writes its state."""
        return self._call("state_file", str, env=env, pid=pid)

    def parse_state_file(self, data: bytes) -> HookReport | None:
        """Parse that file."""
        return self._call("parse_state_file", HookReport, data=data)

    def hook_config(self, endpoint: HookEndpoint) -> HookConfig | None:
        """Return what to merge into the CLI's settings."""
        return self._call("hook_config", HookConfig, endpoint=endpoint)

    def parse_hook(self, event: str, payload: Mapping[str, Any]) -> HookReport | None:
        """Parse a hook's payload."""
        return self._call("parse_hook", HookReport, event=event, payload=payload)

    def answer_hook(self, prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
        """Return what a hook prints for the CLI."""
        return self._call(
            "answer_hook",
            Mapping,  # type: ignore[type-abstract]
            prompt=prompt,
            response=response,
        )

    def merge_prompt(self, seen: PromptForm, reported: PromptForm) -> PromptForm | None:
        """Merge two sightings of one prompt."""
        return self._call("merge_prompt", PromptForm, seen=seen, reported=reported)

    def open_protocol(self, request: LaunchRequest) -> Peer | None:
        """Return the peer for the CLI's machine protocol."""
        return self._guarded("open_protocol", self._call("open_protocol", object, request=request))

    def open_daemon(
        self,
        env: Mapping[str, str],
        cwd: str,
        cli_session_id: str | None,
        argv: Sequence[str],
    ) -> Daemon | None:
        """Return the server that the CLI in a pane shares."""
        daemon = self._call(
            "open_daemon", Daemon, env=env, cwd=cwd, cli_session_id=cli_session_id, argv=argv
        )
        peer = self._guarded("open_daemon", daemon.peer) if daemon else None
        return Daemon(daemon.server, peer) if daemon and peer else None

    def live_check(self) -> LiveCheck | None:
        """Return the scripted model that the installed CLI is checked against."""
        return self._call(
            "live_check",
            LiveCheck,  # type: ignore[type-abstract]
        )

    def _guarded(self, hook: str, peer: Any) -> Peer | None:
        if peer is None:
            return None
        calls = self._calls
        try:
            return GuardedPeer(
                peer,
                calls.limit,
                calls.seconds,
                calls.validator,
                lambda error: calls.failed("peer", error),
            )
        except TypeError as error:
            calls.failed(hook, error)
            return None

    def _call(self, hook: str, result_type: type[T], **arguments: Any) -> T | None:
        return self._calls.call(hook, result_type, self._calls.seconds, **arguments)
