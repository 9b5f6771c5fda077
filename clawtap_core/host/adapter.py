"""One adapter's hooks as typed, guarded methods: the rest of the program never sees pluggy.

What a hook raises is caught and logged with plugin, hook and session; what hangs is ended; a
result of the wrong type is refused. The caller gets None and goes on. A hook that fails five
times in a row, or hangs once, is not called again: the session stays usable by hand.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pluggy

from clawtap_core.host.limits import HookTimeout, TimeLimit
from clawtap_core.host.peer import GuardedPeer
from clawtap_core.model import (
    Action,
    AdapterInfo,
    Daemon,
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
    Steps,
    TranscriptInfo,
    TranscriptSource,
)

log = logging.getLogger(__name__)
FAILURES = 5
SLOWEST = 2_000_000
"""So many bytes of a transcript are parsed in a second at least, also on a small busy machine."""
T = TypeVar("T")


class Adapter:
    """The hooks of one plugin. `health` is None while all is well, else what went wrong last."""

    def __init__(
        self, name: str, hooks: Mapping[str, pluggy.HookCaller], limit: TimeLimit, seconds: float
    ) -> None:
        self.name = name
        self.health: str | None = None
        self._hooks = hooks
        self._limit = limit
        self._seconds = seconds
        self._failures: Counter[str] = Counter()
        self.info = self._read_info()
        self.id = self.info.id

    def _read_info(self) -> AdapterInfo:
        found = self._limit(self._seconds, self._hooks["adapter_info"])
        if len(found) != 1 or not isinstance(found[0], AdapterInfo):
            raise TypeError("adapter_info must return an AdapterInfo")
        return found[0]

    def has(self, hook: str) -> bool:
        """Whether the adapter implements this hook."""
        return hook in self._hooks

    def launch(self, request: LaunchRequest) -> Launch | None:
        """How to start the CLI."""
        return self._call("launch", Launch, request=request)

    def detect_prompt(self, screen: Screen) -> PromptForm | None:
        """The prompt that the screen shows."""
        return self._call("detect_prompt", PromptForm, screen=screen)

    def detect_state(self, screen: Screen, previous: Previous | None) -> SeenState | None:
        """The state that the screen shows."""
        return self._call("detect_state", SeenState, screen=screen, previous=previous)

    def respond(
        self, prompt: PromptForm, response: Response, screen: Screen, progress: Any
    ) -> Steps | None:
        """The next steps of an answer."""
        return self._call(
            "respond", Steps, prompt=prompt, response=response, screen=screen, progress=progress
        )

    def reveal(
        self, prompt: PromptForm, screen: Screen, seen: Sequence[PromptForm], progress: Any
    ) -> Steps | None:
        """The next steps through a list that scrolls."""
        return self._call(
            "reveal", Steps, prompt=prompt, screen=screen, seen=seen, progress=progress
        )

    def compose(self, text: str, screen: Screen, progress: Any) -> Steps | None:
        """The next steps of a message."""
        return self._call("compose", Steps, text=text, screen=screen, progress=progress)

    def control(self, action: Action, screen: Screen, progress: Any) -> Steps | None:
        """The next steps of an action."""
        return self._call("control", Steps, action=action, screen=screen, progress=progress)

    def transcript_sources(
        self, env: Mapping[str, str], cwd: str
    ) -> Sequence[TranscriptSource] | None:
        """Where transcripts lie."""
        return self._call(
            "transcript_sources",
            Sequence,  # type: ignore[type-abstract]
            env=env,
            cwd=cwd,
        )

    def describe_transcript(self, path: str, head: bytes) -> TranscriptInfo | None:
        """Whose conversation a file holds."""
        return self._call("describe_transcript", TranscriptInfo, path=path, head=head)

    def parse_transcript(self, data: bytes, state: Any) -> Parsed | None:
        """What new bytes of a transcript tell. A long line, or a whole file, may take longer."""
        seconds = self._seconds + len(data) / SLOWEST
        return self._within(seconds, "parse_transcript", Parsed, data=data, state=state)

    def state_file(self, env: Mapping[str, str], pid: int) -> str | None:
        """Where a process of the CLI writes what it does."""
        return self._call("state_file", str, env=env, pid=pid)

    def parse_state_file(self, data: bytes) -> HookReport | None:
        """What that file tells."""
        return self._call("parse_state_file", HookReport, data=data)

    def hook_config(self, endpoint: HookEndpoint) -> HookConfig | None:
        """What to merge into the CLI's settings."""
        return self._call("hook_config", HookConfig, endpoint=endpoint)

    def parse_hook(self, event: str, payload: Mapping[str, Any]) -> HookReport | None:
        """What a hook's payload tells."""
        return self._call("parse_hook", HookReport, event=event, payload=payload)

    def answer_hook(self, prompt: PromptForm, response: Response) -> Mapping[str, Any] | None:
        """What a hook returns to the CLI."""
        return self._call(
            "answer_hook",
            Mapping,  # type: ignore[type-abstract]
            prompt=prompt,
            response=response,
        )

    def merge_prompt(self, seen: PromptForm, known: PromptForm) -> PromptForm | None:
        """The one prompt that both are."""
        return self._call("merge_prompt", PromptForm, seen=seen, known=known)

    def open_protocol(self, request: LaunchRequest) -> Peer | None:
        """The peer that speaks the CLI's machine protocol."""
        return self._guarded("open_protocol", self._call("open_protocol", object, request=request))

    def open_daemon(
        self, env: Mapping[str, str], cwd: str, cli_session_id: str | None
    ) -> Daemon | None:
        """The server that the CLI in a pane shares."""
        found = self._call("open_daemon", Daemon, env=env, cwd=cwd, cli_session_id=cli_session_id)
        peer = self._guarded("open_daemon", found.peer) if found else None
        return Daemon(found.socket, peer) if found and peer else None

    def _guarded(self, hook: str, peer: Any) -> Peer | None:
        if peer is None:
            return None
        try:
            return GuardedPeer(
                peer, self._limit, self._seconds, lambda error: self._failed("peer", error)
            )
        except TypeError as error:
            self._failed(hook, error)
            return None

    def _call(self, hook: str, wanted: type[T], **arguments: Any) -> T | None:
        return self._within(self._seconds, hook, wanted, **arguments)

    def _within(self, seconds: float, hook: str, wanted: type[T], **arguments: Any) -> T | None:
        caller = self._hooks.get(hook)
        if caller is None or self._failures[hook] >= FAILURES:
            return None
        try:
            result = self._limit(seconds, lambda: caller(**arguments))
            if result is not None and not isinstance(result, wanted):
                raise TypeError(f"returned {type(result).__name__}, not {wanted.__name__}")
        except HookTimeout as error:
            self._failures[hook] = FAILURES
            self._failed(hook, error)
        except Exception as error:
            self._failures[hook] += 1
            self._failed(hook, error)
        else:
            del self._failures[hook]
            return result
        return None

    def _failed(self, hook: str, error: Exception) -> None:
        self.health = f"{hook}: {type(error).__name__}: {error}"
        log.warning(
            "hook failed: %s", self.health, extra={"plugin": self.name, "hook": hook}, exc_info=True
        )
