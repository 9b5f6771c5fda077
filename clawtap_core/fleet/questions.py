"""Questions of programs, which a machine keeps until somebody answers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from clawtap_core.errors import ClawTapError, ErrorCode, NotFound, Unavailable
from clawtap_core.fleet.router import Router, ask_all
from clawtap_core.fleet.view import FleetView
from clawtap_core.model import MachineState, Prompt


def ask(router: Router, operation: str, arguments: Mapping[str, Any]) -> Prompt:
    """Ask on the named machine; on a hub without a name, on the first that answers."""
    # Through a hub it is the program that asks, not the hub.
    asker = arguments.get("asker") or router.actor.device
    place, asked = _ask_first(router, operation, {**arguments, "asker": asker})
    mirror = router.fleet.mirror
    mirror.learn_prompt(place, asked)
    if place != router.fleet.own_id and mirror.session(asked.session_id) is None:
        # The reply may come before the events of a session that this question began.
        with suppress(ClawTapError):
            mirror.learn(place, router.call(place, "session", {"session_id": asked.session_id}))
    return asked


def wait_elsewhere(
    router: Router, request_id: str, seconds: float, listening: Callable[[], bool]
) -> Prompt:
    """Return a prompt of another machine once it ends or after `seconds`.

    Raises NotFound, or Unavailable if a machine that may have it cannot be asked.
    """
    router.fleet.mirror.wait_for_end(request_id, seconds, listening)
    owner, prompt = find_elsewhere(router, request_id)
    secret = any(question.secret for question in prompt.form.questions)
    if prompt.state.open or not secret or not listening():
        return prompt
    arguments = {"request_id": request_id, "seconds": 0.0}
    answered: Prompt = router.call(owner, "wait", arguments)
    return answered


def find_elsewhere(router: Router, request_id: str) -> tuple[str, Prompt]:
    """Return a prompt of another machine, and that machine; the errors of `wait_elsewhere`."""
    if known := router.fleet.mirror.prompt(request_id):
        return known
    # It may have ended before this process began to look, or while its machine was away.
    router.fleet.check_connected()

    def look(machine: str) -> Prompt:
        prompt: Prompt = router.call(machine, "prompt", {"request_id": request_id})
        return prompt

    failure: ClawTapError = NotFound(
        f"no such prompt: {request_id!r}", code=ErrorCode.PROMPT_NOT_FOUND
    )
    for machine, result in ask_all(router.fleet.mirror.ids(), look).items():
        if not isinstance(result, ClawTapError):
            return machine, result
        # A machine that does not answer may have it.
        failure = failure if isinstance(result, NotFound) else result
    raise failure


def _ask_first(router: Router, operation: str, arguments: Mapping[str, Any]) -> tuple[str, Prompt]:
    """Return the machine that keeps the question, and its prompt."""
    failure = Unavailable(
        "no machine of the fleet is online to keep the question", code=ErrorCode.MACHINE_AWAY
    )
    for place in [router.place] if router.place else _online(router.fleet):
        try:
            return place, router.call(place, operation, arguments)
        except Unavailable as error:
            # A machine that does not answer has not got the question.
            if error.code != ErrorCode.MACHINE_AWAY:
                raise
            failure = error
    raise failure


def _online(fleet: FleetView) -> list[str]:
    machines = (status.machine for status in fleet.machines())
    return [machine.id for machine in machines if machine.state is MachineState.ONLINE]
