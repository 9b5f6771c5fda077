"""Route operations: to this machine, or as a call to another one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from clawtap_core.errors import ClawTapError, NotFound
from clawtap_core.fleet.machine_names import machine_needed
from clawtap_core.fleet.view import FleetView
from clawtap_core.model import Actor, Machine, Session
from clawtap_core.transport import Transport

P = ParamSpec("P")
Result = TypeVar("Result")
Arguments = Mapping[str, Any]


class Router:
    """Carries out operations where they belong, on behalf of an actor.

    `local` is the transport of this machine, `named` the id of the machine that was named, or "".
    """

    def __init__(self, fleet: FleetView, local: Transport, actor: Actor, named: str = "") -> None:
        self.fleet, self.local, self.actor, self.named = fleet, local, actor, named

    @property
    def place(self) -> str:
        """Return the id of the named machine, or this one; "" on a hub if none was named."""
        return self.named or self.fleet.own_id

    def call(self, machine: str, operation: str, arguments: Arguments) -> Any:
        """Return what the method returns on a machine."""
        if machine != self.fleet.own_id:
            return self.fleet.call(machine, self.actor, operation, arguments)
        return getattr(self.local, operation)(**arguments)

    # Routes to a machine

    def to_machine(self, operation: str, arguments: Arguments) -> Any:
        """Carry out an operation on the named machine, or on this one."""
        return self.call(self.place, operation, arguments)

    def not_on_hub(self, operation: str, arguments: Arguments) -> Any:
        """Do the same; raise Impossible on a hub if none was named."""
        if not self.place:
            raise machine_needed(self.fleet.machines(), self.fleet.unseen)
        return self.to_machine(operation, arguments)

    def begin(self, operation: str, arguments: Arguments) -> Session:
        """Return the session that begins on the named machine, or on this one."""
        session: Session = self.not_on_hub(operation, arguments)
        if self.place != self.fleet.own_id:
            # Its event may arrive after the reply.
            self.fleet.mirror.learn(self.place, session)
        return replace(session, machine=self.machine(self.place))

    def to_session(self, operation: str, arguments: Arguments) -> Any:
        """Carry out an operation on the machine of the session."""
        owner = self.owner(arguments["session_id"])
        return self.call(owner or self.fleet.own_id, operation, arguments)

    def change(self, operation: str, arguments: Arguments) -> Session:
        """Return the session that an operation changed on its machine."""
        owner = self.owner(arguments["session_id"]) or self.fleet.own_id
        session: Session = self.call(owner, operation, arguments)
        return replace(session, machine=self.machine(owner))

    def to_prompt(self, operation: str, arguments: Arguments) -> Any:
        """Carry out an operation on the machine of the prompt."""
        owner = self.fleet.own_id
        try:
            self.local.prompt(arguments["request_id"])
        except NotFound:
            if elsewhere := self.fleet.mirror.prompt(arguments["request_id"]):
                owner = elsewhere[0]
        return self.call(owner, operation, arguments)

    # Owners

    def machine(self, machine_id: str) -> Machine | None:
        """Return a machine as its sessions show it; None while there is no other."""
        other = self.fleet.mirror.machine(machine_id)
        return other.value if other else self.fleet.here

    def owner(self, session_id: str) -> str | None:
        """Return the id of the other machine that has a session; None if it is here or nowhere."""
        place = self.place_of(session_id)
        return None if place == self.fleet.own_id else place

    def place_of(self, session_id: str) -> str | None:
        """Return the id of the machine that has a session; None if no machine has it."""
        try:
            here = self.local.session(session_id)
        except NotFound:
            here = None
        if here and not here.state.over:
            return self.fleet.own_id
        there = self.fleet.mirror.session(session_id)
        # A copied data folder has sessions that are over here, and go on where they were begun.
        if there and there.machine and not (here and there.state.over):
            return there.machine.id
        return self.fleet.own_id if here else None


def routed(
    way: Callable[[Router, str, Arguments], Any],
    method: Callable[Concatenate[Transport, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """Return a method of Transport for a class with a `_router` that routes it."""
    parameters = signature(method)

    @wraps(method)
    def go(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        arguments = parameters.bind(self, *args, **kwargs).arguments
        del arguments["self"]
        result: Result = way(self._router, method.__name__, arguments)
        return result

    return go


def ask_all(
    machines: Iterable[str], ask: Callable[[str], Result]
) -> dict[str, Result | ClawTapError]:
    """Ask machines in parallel; return the result of each, or the error that it raised."""
    results: dict[str, Result | ClawTapError] = {}

    def ask_one(machine: str) -> None:
        try:
            results[machine] = ask(machine)
        except ClawTapError as error:
            results[machine] = error

    threads = [threading.Thread(target=ask_one, args=(one,), daemon=True) for one in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
