"""Validate what plugins return, since bad values would harm other sessions too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import datetime, timezone
from typing import Any, TypeVar, get_args

from clawtap_core.model import (
    AdapterInfo,
    Brand,
    Capabilities,
    Choice,
    HookReport,
    PeerEvent,
    Prompt,
    PromptForm,
    PromptRequested,
    RequestCancelled,
    SeenState,
    SessionFacts,
    SessionState,
    Step,
    Steps,
)

_PEER_STATES = (
    None,
    SessionState.STARTING,
    SessionState.IDLE,
    SessionState.BUSY,
    SessionState.ENDED,
)
_TEXTS = ("commands", "version_argv", "proved_versions")
_CHOICES = ("models", "permission_modes", "effort_levels", "slash_commands")
# It stands in URLs, on command lines and in the names of files.
_ADAPTER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
T = TypeVar("T")
_EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)


def check_info(info: AdapterInfo) -> AdapterInfo:
    """Return what an adapter says about itself; raise for a field that cannot be used."""
    expected = {"id": str, "name": str, "brand": Brand, "capabilities": Capabilities}
    for name, kind in expected.items():
        if not isinstance(getattr(info, name), kind):
            raise TypeError(f"AdapterInfo.{name} must be a {kind.__name__}: {_short(info, name)}")
    if not _ADAPTER_ID.fullmatch(info.id):
        raise ValueError(f"AdapterInfo.id must be letters, digits, '-', '_' and '.': {info.id!r}")
    items = dict.fromkeys(_TEXTS, ("str", str)) | dict.fromkeys(
        _CHOICES, ('Choice("id", "label")', Choice)
    )
    for name, (shown, item) in items.items():
        values = getattr(info, name)
        if not isinstance(values, tuple) or not all(isinstance(each, item) for each in values):
            raise TypeError(f"AdapterInfo.{name} must be a tuple of {shown}: {_short(info, name)}")
    return info


def _short(info: AdapterInfo, name: str) -> str:
    return f"{getattr(info, name)!r:.80}"


class ResultValidator:
    """Pass values that can be shown, stored and loaded again; raise for any other."""

    def __init__(self) -> None:
        self._last_form: PromptForm | None = None

    def result(self, result: Any, result_type: type[T]) -> T | None:
        """Return a hook's result; raise if it has another type or is not valid."""
        if result is None:
            return None
        if not isinstance(result, result_type):
            # Without the value: it may hold what the user typed.
            raise TypeError(f"returned {type(result).__name__}, not {result_type.__name__} or None")
        if isinstance(result, Steps):
            _check_steps(result)
        if isinstance(result, PromptForm):
            self.form(result)
        elif isinstance(result, SeenState):
            self.state(result)
        elif isinstance(result, HookReport | Steps) and result.form:
            self.form(result.form)
        return result

    def form(self, form: PromptForm) -> PromptForm:
        """Return the form; raise if it cannot be stored and loaded."""
        # Imported late: the command line imports the host and should not wait for the schemas.
        from clawtap_core.schemas import dump, dump_kept, load_kept
        from clawtap_core.schemas.type_check import plain

        if form != self._last_form and not plain(form):
            prompt = Prompt("-", "-", "terminal", form, _EPOCH)
            load_kept(Prompt, json.loads(json.dumps(dump_kept(prompt))))
            dump(prompt)
        self._last_form = form
        return form

    def state(self, seen: SeenState) -> SeenState:
        """Return the state; raise TypeError if a field has another type."""
        optional = filter(None, (seen.draft, seen.mode, seen.model))
        refusal = (seen.refusal.reason, seen.refusal.message) if seen.refusal else ()
        texts = (seen.streaming, seen.thinking, seen.limit, *refusal, *optional)
        if not isinstance(seen.state, SessionState) or not _all_texts(texts):
            raise TypeError(f"not a state: {seen!r:.200}")
        return seen

    def peer_event(self, event: PeerEvent) -> PeerEvent:
        """Return the event; raise TypeError if it is not an event or a field has another type."""
        sound = isinstance(event, get_args(PeerEvent))
        if isinstance(event, PromptRequested | RequestCancelled):
            sound = isinstance(event.call, str)
        elif isinstance(event, SessionFacts):
            texts = (event.cli_session_id, event.cli_version, event.mode, event.model)
            sound = event.state in _PEER_STATES and _all_texts(filter(None, texts))
        if not sound:
            raise TypeError(f"receive returned something that is not a peer event: {event!r:.200}")
        return event


def _check_steps(result: Steps) -> None:
    kinds = get_args(Step)
    listed = isinstance(result.steps, tuple | list)
    wrong = [step for step in result.steps if not isinstance(step, kinds)] if listed else ()
    if wrong or not listed:
        names = ", ".join(kind.__name__ for kind in kinds)
        came = type(wrong[0] if wrong else result.steps).__name__
        raise TypeError(f"Steps.steps must be a tuple of {names}, not {came}")


def _all_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)
