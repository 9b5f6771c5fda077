"""Check step by step whether an adapter reads and answers the CLI that is installed here."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from clawtap_core.errors import ClawTapError, ErrorCode, Impossible, NotConfirmed
from clawtap_core.host import Adapter, Host
from clawtap_core.model import (
    Kind,
    LaunchRequest,
    LiveCheck,
    LiveStep,
    Prompt,
    PromptForm,
    Response,
    Screen,
    Session,
    SessionState,
    StepResult,
)
from clawtap_core.model.live_check import APPROVED, LIVE, RAN, REFUSED, WORKING
from clawtap_core.prompts.identity import squeeze
from clawtap_core.protocol_io.acp.peer import LOGIN_REQUIRED
from clawtap_core.runtime.channel import PROTOCOL
from clawtap_core.runtime.direct_transport import DirectTransport
from clawtap_core.testing.live.program import name_over_protocol, program_version
from clawtap_core.testing.live.report import (
    FAILED,
    OK,
    SKIPPED,
    UNFINISHED,
    LiveReport,
    save_recording,
)
from clawtap_core.testing.live.way import STEPS, Way, way_without_keys
from clawtap_core.testing.live.workplace import Workplace, open_workplace
from clawtap_core.testing.missed_prompt import why_no_prompt
from clawtap_core.testing.truth import labels

_LOOK = 0.05  # seconds between two looks
_AT_WORK = 3  # times as long as its patience the check waits for a CLI that is at work
_KINDS = {
    LiveStep.PERMISSION_ALLOWED: Kind.PERMISSION,
    LiveStep.PERMISSION_DENIED: Kind.PERMISSION,
    LiveStep.QUESTION: Kind.QUESTION,
    LiveStep.PLAN: Kind.PLAN,
}
_OUTCOMES = {
    LiveStep.PERMISSION_ALLOWED: RAN,
    LiveStep.PERMISSION_DENIED: REFUSED,
    LiveStep.MESSAGE: LIVE.message,
    LiveStep.QUESTION: LIVE.answer,
    LiveStep.INTERRUPT: WORKING,
    LiveStep.PLAN: APPROVED,
}
_SHOWN = {
    LiveStep.PERMISSION_ALLOWED: LIVE.allowed_command,
    LiveStep.PERMISSION_DENIED: LIVE.denied_command,
    LiveStep.QUESTION: LIVE.question,
    LiveStep.PLAN: LIVE.plan,
}
_SUCCESS = {
    LiveStep.PERMISSION_ALLOWED: "read, allowed, and the command ran",
    LiveStep.PERMISSION_DENIED: "read, denied, and the model was sent the reason",
    LiveStep.MESSAGE: "typed, sent, and the model was sent every word",
    LiveStep.QUESTION: "read with its options, and the model was sent the answer",
    LiveStep.INTERRUPT: "the CLI stopped",
    LiveStep.PLAN: "read, approved, and the model was told",
}
_NO_TIME = "no time was left"
_DONE = {
    LiveStep.PERMISSION_ALLOWED: "a command allowed",
    LiveStep.PERMISSION_DENIED: "one denied with the reason",
    LiveStep.INTERRUPT: "interrupted",
}
Found = TypeVar("Found")


class StepFailed(Exception):
    """Why a step failed, in one sentence."""


class StepUnfinished(StepFailed):
    """What the CLI had not done yet when the time was over, and why that proves nothing."""


class NotCheckable(Exception):
    """Why a step cannot be checked here, in one sentence."""


def check_live(
    host: Host,
    adapter: Adapter,
    program: Path,
    *,
    recordings: Path,
    seconds: float,
    patience: float | None = None,
    report: Callable[[StepResult], None] = lambda result: None,
) -> LiveReport:
    """Run every step that the adapter's live check has, and report each as soon as it ends.

    The host should have no other plugin. Failing screens are saved in `recordings`. What is not
    done after `seconds` is unfinished. `patience` limits every wait for the CLI, apart from its
    start.
    """
    began = time.monotonic()
    patience = patience or seconds / 5
    check = adapter.live_check()
    if check is None:
        why = f": {adapter.health}" if adapter.health else ""
        raise Impossible(
            f"the adapter {adapter.id} has no live check{why}", code=ErrorCode.CANNOT_ACT
        )
    version = program_version(adapter.info, program)
    results: list[StepResult] = []
    with open_workplace(
        host, check, program, version, name=name_over_protocol(adapter), patience=patience
    ) as workplace:
        checker = _Checker(
            adapter, check, workplace, version, recordings, began + seconds, patience
        )
        for step in LiveStep:
            results.append(checker.run(step))
            report(results[-1])
    spent = time.monotonic() - began
    proved = adapter.info.proved_versions
    return LiveReport(adapter.id, str(program), version, proved, tuple(results), round(spent, 1))


@dataclass
class _Checker:
    """One CLI while it is checked; a step that fails costs its session, the next starts another."""

    adapter: Adapter
    check: LiveCheck
    workplace: Workplace
    version: str | None
    recordings: Path
    end: float
    patience: float
    session_id: str = ""
    unstartable: bool = False
    way: Way = Way.KEYS

    @property
    def transport(self) -> DirectTransport:
        """The runtime, as a user reaches it."""
        return self.workplace.runtime.transport()

    def run(self, step: LiveStep) -> StepResult:
        """Run one step."""
        way = way_without_keys(self.adapter, self.check)
        if step is LiveStep.WITHOUT_KEYS and way is Way.KEYS:
            text = f"{self.adapter.info.name} takes answers by keys only"
            return StepResult(step.value, SKIPPED, text)
        if step is not LiveStep.WITHOUT_KEYS and step not in self.check.steps:
            return StepResult(step.value, SKIPPED, f"{self.adapter.info.name} has none")
        if self.unstartable:
            return StepResult(step.value, SKIPPED, "the CLI did not start")
        if self._is_over():
            return StepResult(step.value, UNFINISHED, _NO_TIME)
        began = time.monotonic()
        try:
            if step is LiveStep.WITHOUT_KEYS:
                self._take(way)
            else:
                self._do(step)
        except NotCheckable as error:
            return StepResult(step.value, SKIPPED, str(error))
        except (StepFailed, ClawTapError) as error:
            message, unfinished = self._judge(error)
            recording = None if unfinished else self._save(step, message)
            self._leave()
            spent = round(time.monotonic() - began, 1)
            status = UNFINISHED if unfinished else FAILED
            return StepResult(step.value, status, message, spent, recording)
        text = _SUCCESS.get(step) or f"{way.value}: {', '.join(_DONE[each] for each in STEPS[way])}"
        return StepResult(step.value, OK, text, round(time.monotonic() - began, 1))

    def _is_over(self) -> bool:
        return time.monotonic() > self.end

    def _judge(self, error: StepFailed | ClawTapError) -> tuple[str, bool]:
        """Return why a step did not succeed, and whether only the time was too short."""
        if isinstance(error, StepFailed):
            return str(error), isinstance(error, StepUnfinished)
        unfinished = isinstance(error, NotConfirmed) and self._is_over()
        return error.message + (f": {_NO_TIME}" if unfinished else ""), unfinished

    def _take(self, way: Way) -> None:
        """Do some steps once more, in a session that takes answers in another way."""
        self._leave()
        self.way = way
        for step in STEPS[way]:
            try:
                self._do(step)
            except (StepFailed, ClawTapError) as error:
                message, unfinished = self._judge(error)
                kind = StepUnfinished if unfinished else StepFailed
                raise kind(f"{way.value}, {step.value}: {message}") from error
        if way is Way.SERVER and not self._answered_by_server():
            raise StepFailed(f"{way.value}: it took no answer, so all were given with keys")

    def _do(self, step: LiveStep) -> None:
        self._start()
        if step is LiveStep.MESSAGE:
            self._message(step)
        elif step is LiveStep.INTERRUPT:
            self._interrupt(step)
        else:
            self._answer(step)

    def _start(self) -> None:
        if self.session_id:
            return
        place = self.workplace
        request = LaunchRequest(self.adapter.id, str(place.project), args=place.launch.args)
        if self.way is Way.PROTOCOL:
            request = replace(request, channel=PROTOCOL, args=())
        elif self.way is Way.SERVER:
            request = replace(request, args=(*request.args, *self.check.serving_args))
        self.session_id = self.transport.start(request).id
        try:
            self._until_idle("it was not ready for a message", 3 * self.patience)
        except StepFailed as error:
            self.unstartable = True
            raise type(error)(f"the CLI did not start: {error}") from error

    def _answer(self, step: LiveStep) -> None:
        """Have the CLI ask, compare what was read, answer, and check the outcome."""
        if step is LiveStep.PLAN and self.check.plan_mode:
            self.transport.permission_mode(self.session_id, self.check.plan_mode)
        prompt = self._ask(step)
        self._compare(step, prompt.form)
        self.transport.respond(self.session_id, self._response(step, prompt))
        self._until_outcome(step)
        self._until_idle("the CLI did not come to rest after the answer")

    def _ask(self, step: LiveStep) -> Prompt:
        self._say(step, f"Live check: {step.value}")

        def asked() -> Prompt | bool:
            prompts = self.transport.pending(self.session_id)
            return prompts[0] if prompts else self.check.outcome(step) is not None

        prompt = self._until(asked, "the CLI showed nothing that was read as a prompt")
        if not isinstance(prompt, Prompt):
            raise StepFailed("the CLI went on without a prompt that was read")
        if prompt.form.kind is Kind.UNKNOWN:
            reasons = why_no_prompt(self.adapter, self._screen())
            why = f": {reasons[0]}" if reasons else ""
            raise StepFailed(f"the prompt was not recognised{why}")
        return prompt

    def _answered_by_server(self) -> bool:
        """Return True if its server took an answer; the first one may come before we joined it."""
        updates = self.transport.latest_events(
            types=("prompt_updated",), session_id=self.session_id
        ).events
        return any("via" in update.data for update in updates)

    def _compare(self, step: LiveStep, form: PromptForm) -> None:
        if form.kind is not _KINDS[step]:
            raise StepFailed(f"it was read as a {form.kind.value}: {form.title!r}")
        asked = [question.question for question in form.questions]
        inputs = [str(value) for value in (form.tool_input or {}).values()]
        words = squeeze(" ".join([form.title, form.description, *asked, *inputs]))
        missing = [line for line in _SHOWN[step].split("\n") if squeeze(line) not in words]
        if missing:
            raise StepFailed(f"{missing[0]!r} is not in what was read: {form.title!r}")
        if step is LiveStep.QUESTION:
            lost = [answer for answer in LIVE.answers if answer not in labels(form)]
            if lost:
                raise StepFailed(f"the option {lost[0]!r} was not read, only {labels(form)}")

    def _response(self, step: LiveStep, prompt: Prompt) -> Response:
        form, request_id = prompt.form, prompt.request_id
        if step is LiveStep.PERMISSION_DENIED:
            return Response(request_id, decision="deny", reason=LIVE.reason)
        if step is LiveStep.QUESTION and form.questions:
            return Response(request_id, answers={"0": LIVE.answer})
        if step is LiveStep.QUESTION:
            answer = next(option for option in form.options if option.label == LIVE.answer)
            return Response(request_id, answer.value)
        return Response(request_id, decision="approve")

    def _message(self, step: LiveStep) -> None:
        """Send a message of two lines, and see that the model gets it as it is."""
        self._say(step, LIVE.message)
        self._until_outcome(step)
        self._until_idle("the CLI did not come to rest after the message")

    def _interrupt(self, step: LiveStep) -> None:
        """Interrupt the CLI while the model is silent; only the interrupt can end the turn."""
        self._say(step, f"Live check: {step.value}")
        # Claude ignores Escape between the message and its request.
        self._until_outcome(step)
        self._until(
            lambda: self.transport.session(self.session_id).state is SessionState.BUSY,
            "the CLI was at work, and it was not seen",
        )
        self.transport.interrupt(self.session_id)
        self._until_idle("the CLI worked on after the interrupt", at_work=1)

    def _say(self, step: LiveStep, text: str) -> None:
        self.check.play(step)
        try:
            self.transport.message(self.session_id, text)
        except NotConfirmed:
            # A prompt that is not recognised hides that the message left; the prompt is the news.
            if step not in _KINDS:
                raise

    def _until_outcome(self, step: LiveStep) -> None:
        expected = _OUTCOMES[step]
        outcome = self._until(lambda: self.check.outcome(step), "nothing of it reached the model")
        if outcome != expected:
            raise StepFailed(f"the model was sent {outcome!r}, not {expected!r}")

    def _until_idle(self, otherwise: str, seconds: float = 0, at_work: int = _AT_WORK) -> None:
        """Wait for the composer; a prompt that was not expected ends the wait."""

        def idle() -> bool:
            session = self.transport.session(self.session_id)
            prompts = self.transport.pending(self.session_id)
            if prompts:
                raise StepFailed(f"{otherwise}: it asks {prompts[0].form.title!r}")
            return session.state is SessionState.IDLE and not session.queued

        self._until(idle, otherwise, seconds, at_work)

    def _until(
        self,
        check: Callable[[], Found | None],
        otherwise: str,
        seconds: float = 0,
        at_work: int = _AT_WORK,
    ) -> Found:
        began = at_rest = time.monotonic()
        patience = seconds or self.patience
        while not (result := check()):
            session = self.transport.session(self.session_id)
            if session.state.over:
                raise self._end(session)
            busy, now = session.state is SessionState.BUSY, time.monotonic()
            if busy:
                at_rest, last = now, began + max(patience, self.patience * at_work)
            else:
                # What it worked for may appear only now, on a busy machine piece by piece.
                last = at_rest + patience
            if now > min(self.end, last):
                # After an interrupt, a CLI that is still at work did not only need more time.
                if session.state is SessionState.STARTING or (busy and at_work > 1):
                    raise StepUnfinished(f"{otherwise}: it was still {session.state.value}")
                if self.end < last:
                    raise StepUnfinished(f"{otherwise}: {_NO_TIME}")
                raise StepFailed(otherwise)
            time.sleep(_LOOK)
        return result

    def _end(self, session: Session) -> StepFailed | NotCheckable:
        """Return why a session is over: the CLI's own error, where it reported one."""
        errors = self.transport.latest_events(
            types=("session_error",), session_id=session.id, limit=1
        ).events
        if errors and errors[0].data["code"] == LOGIN_REQUIRED:
            return NotCheckable(f"{self.way.value} it wants an account: {errors[0].data['error']}")
        why = errors[0].data["error"] if errors else session.detail
        return StepFailed(f"it ended: {why}" if why else "it ended")

    def _screen(self) -> Screen:
        return self.transport.screen(self.session_id)

    def _save(self, step: LiveStep, message: str) -> str | None:
        if not self.session_id:
            return None
        facts = {
            "adapter": self.adapter.id,
            "cli_version": self.version,
            "live_step": step.value,
            "failure": message,
        }
        words = (self.adapter.id, self.version or "unknown", step.value)
        with suppress(ClawTapError):
            return str(save_recording(self._screen(), facts, self.recordings, *words))
        return None

    def _leave(self) -> None:
        with suppress(ClawTapError):
            self.transport.end(self.session_id)
        self.session_id = ""
