"""The plugin host: the only user of pluggy."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pluggy

from clawtap_core.errors import BadRequest, ErrorCode
from clawtap_core.host import discovery
from clawtap_core.host.adapter import Adapter
from clawtap_core.host.discovery import Loaded
from clawtap_core.host.failure import describe_failure
from clawtap_core.host.limits import (
    HookRest,
    HookStalled,
    HookTimeout,
    TimeLimit,
    thread_limit,
    without_exit,
)
from clawtap_core.model import PluginStatus

if TYPE_CHECKING:
    import click
    from flask import Flask

    from clawtap_core.model import Event, Notice, NoticeAnswers, Session

__all__ = ["Adapter", "HookTimeout", "Host", "PluginStatus", "TimeLimit"]
log = logging.getLogger(__name__)


class Host:
    """Loaded plugins.

    `hook_seconds` limits one call of a hook, `notify_seconds` one of `notify` or
    `send_notice`, which may wait for the network.
    """

    def __init__(
        self,
        entries: Iterable[EntryPoint] = (),
        *,
        only: Collection[str] | None = None,
        blocked: Collection[str] = (),
        limit: TimeLimit = thread_limit,
        hook_seconds: float = 2.0,
        notify_seconds: float = 20.0,
    ) -> None:
        self._limit = limit
        self._seconds = hook_seconds
        self._notify_seconds = notify_seconds
        self._rests: dict[tuple[str, str], HookRest] = defaultdict(HookRest)
        self._failures: dict[str, str] = {}
        self._adapters: dict[str, Adapter] = {}
        self._plugins: list[Loaded] = []
        for loaded in discovery.load(entries, limit, only=only, blocked=blocked):
            self._keep(loaded)

    @classmethod
    def installed(
        cls,
        *,
        only: Collection[str] | None = None,
        blocked: Collection[str] = (),
        limit: TimeLimit = thread_limit,
    ) -> Host:
        """Return a host with every installed plugin."""
        return cls(discovery.installed(), only=only, blocked=blocked, limit=limit)

    def add(self, plugin: object, name: str) -> PluginStatus:
        """Load a plugin object as if it were installed under this name."""
        try:
            manager = discovery.register(plugin, name)
        except Exception as error:
            return self._keep(Loaded(PluginStatus(name, "broken", error=str(error))))
        status = PluginStatus(name, "loaded", hooks=discovery.hook_names(manager))
        return self._keep(Loaded(status, manager))

    @property
    def adapters(self) -> list[Adapter]:
        """Every adapter, by id."""
        return [self._adapters[key] for key in sorted(self._adapters)]

    def adapter(self, adapter_id: str) -> Adapter:
        """Return the adapter with this id, or raise BadRequest."""
        if adapter := self._adapters.get(adapter_id):
            return adapter
        installed = ", ".join(sorted(self._adapters)) or "none"
        raise BadRequest(
            f"no such adapter: {adapter_id!r} (installed: {installed})",
            code=ErrorCode.UNKNOWN_ADAPTER,
        )

    def statuses(self) -> list[PluginStatus]:
        """Return every plugin's status; `error` is the last failure of a loaded one."""
        return [self._with_failure(loaded.status) for loaded in self._plugins]

    def _with_failure(self, status: PluginStatus) -> PluginStatus:
        adapter = self._adapters.get(status.adapter or "")
        failure = self._failures.get(status.name) or (adapter.health if adapter else None)
        return replace(status, error=failure) if failure else status

    def notify(self, event: Event, session: Session) -> None:
        """Call every plugin's `notify`; one that hangs is ended."""
        self._call_patiently("notify", event=event, session=session)

    def send_notice(self, notice: Notice, answers: NoticeAnswers) -> None:
        """Call every plugin's `send_notice`; one that hangs is ended."""
        self._call_patiently("send_notice", notice=notice, answers=answers)

    def register_commands(self, cli: click.Group) -> None:
        """Let plugins add commands."""
        self._call_each("register_commands", cli=cli)

    def register_routes(self, app: Flask) -> None:
        """Let plugins add pages."""
        self._call_each("register_routes", app=app)

    def _keep(self, loaded: Loaded) -> PluginStatus:
        if loaded.manager and "adapter_info" in loaded.status.hooks:
            loaded = self._adopt(loaded, loaded.manager)
        self._plugins.append(loaded)
        return loaded.status

    def _adopt(self, loaded: Loaded, manager: pluggy.PluginManager) -> Loaded:
        status = loaded.status
        hooks = {hook: getattr(manager.hook, hook) for hook in status.hooks}
        try:
            adapter = Adapter(status.name, hooks, self._limit, self._seconds)
            if adapter.id in self._adapters:
                raise ValueError(f"there is an adapter with the id {adapter.id!r} already")
        except Exception as error:
            log.warning("plugin %s is broken: %s", status.name, error)
            return Loaded(replace(status, status="broken", error=f"{error}"))
        self._adapters[adapter.id] = adapter
        return replace(loaded, status=replace(status, adapter=adapter.id))

    def _call_patiently(self, hook: str, **arguments: object) -> None:
        """Call each plugin's hook, which may wait for the network, but not compute for long."""
        for name, caller in self._callers(hook):
            rest = self._rests[name, hook]
            if rest.spared():
                continue
            try:
                call = partial(caller, **arguments)
                self._limit(self._notify_seconds, call, computing=self._seconds)
                rest.hangs = 0
            except Exception as error:
                # Only a hook that computed has held up everybody; one that waited has not.
                if isinstance(error, HookStalled):
                    rest.hung()
                self._failed(name, hook, error)

    def _call_each(self, hook: str, **arguments: object) -> None:
        for name, caller in self._callers(hook):
            try:
                without_exit(partial(caller, **arguments))
            except Exception as error:
                self._failed(name, hook, error)

    def _callers(self, hook: str) -> Iterator[tuple[str, Callable[..., object]]]:
        for loaded in self._plugins:
            if loaded.manager and hook in loaded.status.hooks:
                yield loaded.status.name, getattr(loaded.manager.hook, hook)

    def _failed(self, name: str, hook: str, error: Exception) -> None:
        text = f"{hook}: {describe_failure(error)}"
        if self._failures.get(name) != text:
            log.warning("hook %s of plugin %s failed", hook, name, exc_info=error)
        self._failures[name] = text
