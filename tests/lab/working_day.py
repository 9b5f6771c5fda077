"""A working day with a real CLI: random steps of several people.

A step asks something and has it answered by REST, on the page, at the desk, or by two of them at
once; or it does what people do in between. What counts is what came of it: the commands that ran,
the words that the model got. The diary holds them, for the audit in the evening.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from cli_testbed import CliSession
from every_cli import ESCAPE, Cli
from patience import until
from phone_browser import CARD, say
from pictures import picture
from taps import tap_until_taken
from two_at_once import Sender, Typist, somebody_at
from working_day_diary import Diary

COLOURS = ("Red", "Green", "Blue")
DECIDED = {True: "answered", False: "denied"}
BACKSPACE, ENTER = "\x7f", "\r"
PASTE, FOLDED = "\x1b[200~{}\x1b[201~", re.compile(r"\[paste", re.IGNORECASE)
# Columns and rows of the terminals of others.
SIZES = ((80, 24), (100, 31), (161, 50))
# What people write, beside plain words; the name of the step comes in front.
TEXTS = (
    "in plain words",
    "Grüße, 世界, 👍🏽 and עברית",
    "\n".join(f"line {number} of a longer text" for number in range(30)),
    "a path that ends with \\",
    "and then\n\n/help me with !this and @nothing",
)
# To the model they name a file by its path from their own folder.
NAMES_FILES_FROM_ITS_FOLDER = ("0.34.0",)
# Both sides decide within this time, so that either may be first.
AT_ONCE = 0.06


@dataclass
class WorkingDay:
    """One day in one session; `page` shows it in a browser, `desk` is a person's terminal."""

    talk: CliSession
    cli: Cli
    desk: Typist | Sender
    page: Any
    dice: random.Random
    label: str
    steps: Counter[str] = field(default_factory=Counter)
    unconfirmed: list[str] = field(default_factory=list)
    diary: Diary = field(init=False)

    def __post_init__(self) -> None:
        self.diary = Diary(self.talk)

    def work(self, count: int) -> None:
        """Take random steps; in the middle of the day the server is killed or ended."""
        kinds = [self.step_of(name) for name in STEPS for _ in range(STEPS[name])]
        for number in range(count):
            step = self.restart if number == count // 2 else self.dice.choice(kinds)
            name = f"{self.label}s{number:02}"
            self.steps[step.__name__] += 1
            try:
                step(name)
            except Exception as error:
                raise AssertionError(f"{step.__name__} {name}: {error}") from error

    def step_of(self, name: str) -> Callable[[str], None]:
        """The step of this name."""
        step: Callable[[str], None] = getattr(self, name)
        return step

    # Steps

    def chat(self, name: str) -> None:
        """Say something; the model answers."""
        self.talk.play()
        self.say(f"just talk {name} {self.dice.choice(TEXTS)}")
        self.talk.finish()
        self.diary.heard(self.diary.said[-1])

    def written_at_the_desk(self, name: str) -> None:
        """Somebody at the desk types a message, or pastes one of several lines."""
        pasted = self.dice.random() < 0.5
        text = f"written here {name}" + "\nand a second line" * 7 * pasted
        stood = len(FOLDED.findall(self.talk.seat.text()))
        self.talk.play()
        self.desk.press(PASTE.format(text) if pasted else text)
        self.talk.seat.until(
            lambda screen: text.split("\n")[0] in screen or len(FOLDED.findall(screen)) > stood,
            text,
        )
        time.sleep(1)  # To a CLI an Enter right behind text is a line break.
        self.desk.press(ENTER)
        self.diary.said.append(text)
        self.diary.typed.append(text)
        self.talk.finish()
        self.diary.heard(text)

    def with_an_image(self, name: str) -> None:
        """A message goes with an image that was chosen on the page."""
        image = picture(self.dice)
        shot = {"name": f"{name}.png", "mimeType": "image/png", "buffer": image}
        self.talk.meet()
        self.talk.play()
        self.page.get_by_label("Attach files or pictures").set_input_files([shot])
        say(self.page, f"look at {name}")
        if self.cli.asks_to_read:
            prompt = self.talk.prompt()
            self.take(prompt, True)
            self.diary.over(prompt, name, "answered", allow=None, end=False)
        self.talk.finish()
        (path,) = self.talk.testbed.served.data.glob(f"files/*/*-{name}.png")
        self.diary.said.append(f"look at {name} {self.cli.mention}{path}")
        self.diary.written[self.diary.said[-1]] = f"look at {name}"
        relative = self.talk.testbed.version in NAMES_FILES_FROM_ITS_FOLDER
        heard = os.path.relpath(path, self.talk.cwd) if relative else path
        self.diary.heard(f"look at {name} {self.cli.mention}{heard}")
        times = json.dumps(self.talk.log.main()[-1].body).count(base64.b64encode(image).decode())
        assert times == int(self.cli.reads_images), f"the model saw the image {times} times"

    def by_rest(self, name: str) -> None:
        """One device answers."""
        prompt, allow = self.ask(name), self.dice.random() < 0.6
        self.take(prompt, allow)
        self.diary.over(prompt, name, DECIDED[allow], allow=allow)

    def with_a_reason(self, name: str) -> None:
        """One device refuses with a reason."""
        prompt = self.ask(name)
        reason = f"rather not because of {name}"
        reply = self.talk.deny(prompt, reason=reason)
        assert (reply.status, reply.body["state"]) == (200, "denied"), reply
        arrived = self.talk.log.wait(lambda log: reason in str([each.body for each in log.main()]))
        assert arrived, "the reason was lost"
        self.talk.finish()
        if self.cli.reason_is_message:
            self.diary.said.append(reason)
            self.diary.heard(reason)
        self.diary.over(prompt, name, "denied", allow=False)

    def at_the_desk(self, name: str) -> None:
        """Somebody at the desk answers."""
        prompt, allow = self.ask(name), self.dice.random() < 0.6
        self.press_after_reading(self.cli.yes if allow else ESCAPE)
        self.diary.over(prompt, name, "answered_elsewhere", allow=allow)

    def on_the_page(self, name: str) -> None:
        """Somebody taps on the page."""
        prompt, allow = self.ask(name), self.dice.random() < 0.6
        self.tap(prompt, allow)
        self.diary.over(prompt, name, DECIDED[allow], allow=allow)

    def two_devices(self, name: str) -> None:
        """Two devices decide otherwise at the same time; the second gets a 409."""
        prompt, first = self.ask(name), self.dice.random() < 0.5
        with ThreadPoolExecutor(2) as pool:
            choices = (first, not first)
            replies = list(pool.map(lambda allow: self.decide(prompt, allow), choices))
        assert sorted(reply.status for reply in replies) == [200, 409], replies
        allow = first if replies[0].status == 200 else not first
        self.diary.over(prompt, name, DECIDED[allow], allow=allow)

    def device_and_desk(self, name: str) -> None:
        """A device and the desk decide differently at once; the one that counts is reported."""
        prompt, allow = self.ask(name), self.dice.random() < 0.5
        key = self.cli.yes
        if allow:
            # A late key must not interrupt what was approved.
            key = self.cli.no or str(len(prompt["options"]))
        reply = self.at_once(lambda: self.decide(prompt, allow), lambda: self.desk.press(key))
        ended = self.ended(prompt, reply)
        state = ended["state"]
        if state == "failed":
            assert reply.status == 502, reply
            self.unconfirmed.append(name)
            self.talk.until(lambda now: now["state"] == "idle" or now["pending"])
            if self.talk.pending():
                self.diary.outcomes.append((prompt["requestId"], state))
                prompt, state, allow = self.talk.prompt(), "answered", True
                self.take(prompt, allow)
            else:
                allow = bool(self.diary.runs(name))
        else:
            assert (reply.status == 200) == (state == DECIDED[allow]), (reply, state)
            # 502 `not_delivered`: the desk typed meanwhile, and the deciding key was withheld.
            withheld = (reply.status, reply.body.get("code")) == (502, "not_delivered")
            desk = state == "answered_elsewhere" and (reply.status == 409 or withheld)
            assert reply.status == 200 or desk, f"{reply}\n{ended}\n{self.talk.seat.text()}"
            allow = allow if reply.status == 200 else not allow
        self.talk.idle()
        # A key of the desk that came too late is the desk's own, and it takes it out.
        self.desk.press(BACKSPACE)
        if self.diary.runs(name) != int(allow):
            self.diary.wrong.append(
                f"{name}: {reply.status} {state}, and it ran {self.diary.runs(name)} times"
            )
        self.diary.over(prompt, name, state, allow=bool(self.diary.runs(name)))

    def ended(self, prompt: Mapping[str, Any], reply: Any) -> dict[str, Any]:
        """How a prompt ended that was answered in two places at once."""
        try:
            return self.talk.resolved(prompt)
        except AssertionError as error:
            shown = self.talk.seat.text()
            raise AssertionError(f"{reply}\n{self.talk.pending()}\n{shown}") from error

    def page_and_device(self, name: str) -> None:
        """Somebody taps on the page while a device decides otherwise."""
        prompt, allow = self.ask(name), self.dice.random() < 0.5
        selector = self.card(prompt, not allow)

        def tap() -> None:
            # The card may close under the finger.
            with suppress(Exception):
                selector.tap(timeout=2000)

        reply = self.at_once(lambda: self.decide(prompt, allow), tap)
        state = self.talk.resolved(prompt)["state"]
        assert reply.status in (200, 409), reply
        counted = allow if reply.status == 200 else not allow
        assert state == DECIDED[counted], (reply, state)
        self.diary.over(prompt, name, state, allow=counted)

    def parallel(self, name: str) -> None:
        """Two calls in one turn; the second prompt is answered by somebody else."""
        names = [f"{name}a", f"{name}b"]
        prompt = self.ask(name, self.cli.turns.parallel([self.command(each) for each in names]))
        # The CLI may ask about either of them first.
        names.sort(key=lambda each: f"{each}.txt" not in str(prompt))
        if first_by_desk := self.dice.random() < 0.5:
            self.press_after_reading(self.cli.yes)
        else:
            self.take(prompt, True)
        second = self.talk.prompt()
        assert f"{names[1]}.txt" in str(second), second
        late = self.decide(prompt, True)
        assert late.status == 409, late
        allow = self.dice.random() < 0.5
        self.take(second, allow)
        first = "answered_elsewhere" if first_by_desk else "answered"
        self.diary.over(prompt, names[0], first, end=False)
        self.diary.over(second, names[1], DECIDED[allow], allow=allow)
        if self.cli.refusal_stops and not allow:
            self.diary.ran[names[0]] = bool(self.diary.runs(names[0]))

    def question(self, name: str) -> None:
        """A question, answered by a device or on the page."""
        asked = self.cli.turns.choice(f"Which colour for {name}?", *COLOURS)
        prompt = self.ask(name, self.cli.turns.ask(asked))
        assert prompt["type"] == "question", prompt
        chosen = self.dice.choice(COLOURS)
        if self.dice.random() < 0.5:
            reply = self.talk.answer(prompt, {"0": chosen})
            assert (reply.status, reply.body["state"]) == (200, "answered"), reply
        else:
            card = self.page.locator(f"#prompt-{prompt['requestId']}")
            self.pick(card.get_by_label(chosen))
            tap_until_taken(card, card.get_by_role("button", name="Submit answer").tap)
        log = self.talk.log
        assert log.wait(lambda log: chosen in str(log.function_responses())), "the answer was lost"
        outputs = str(log.function_responses())
        assert not any(colour in outputs for colour in COLOURS if colour != chosen), outputs
        self.diary.over(prompt, name, "answered", allow=None)

    def message_while_busy(self, name: str) -> None:
        """A message is queued while the model works, and reaches it once."""
        self.talk.play({"parts": [{"text": f"the first answer {name}"}], "hold": True})
        self.say(f"work on {name}")
        self.talk.state("busy")
        queued = self.talk.post("message", message=f"and this, too, {name}")
        assert (queued.status, queued.body["status"]) == (202, "queued"), queued
        self.diary.said.append(f"and this, too, {name}")
        self.talk.model.release()
        self.talk.finish()
        self.diary.heard(*self.diary.said[-2:])

    def message_while_asked(self, name: str) -> None:
        """A message that comes while a prompt is open approves nothing, and is sent after it."""
        prompt = self.ask(name)
        queued = self.talk.post("message", message=f"while asked {name}")
        assert (queued.status, queued.body["status"]) == (202, "queued"), queued
        assert self.diary.runs(name) == 0
        self.take(prompt, True)
        self.diary.said.append(f"while asked {name}")
        assert self.talk.log.wait(lambda log: log.times_said(self.diary.said[-1]) == 1), (
            "the message was lost"
        )
        self.talk.idle()
        self.diary.over(prompt, name, "answered", allow=True)

    def message_changed(self, name: str) -> None:
        """Of two queued messages one is changed and the other taken back."""
        self.talk.play({"parts": [{"text": f"the first answer {name}"}], "hold": True})
        self.say(f"work on {name}")
        self.talk.state("busy")
        kept, dropped = (
            self.talk.post("message", message=f"{word} {name}").body["messageId"]
            for word in ("keep", "drop")
        )
        queue = f"{self.talk.path}/queue"
        client = self.talk.testbed.client
        assert client.patch(f"{queue}/{kept}", {"message": f"changed {name}"}).status == 200
        assert client.delete(f"{queue}/{dropped}").status == 200
        self.diary.said.append(f"changed {name}")
        self.talk.model.release()
        self.talk.finish()
        self.diary.heard(*self.diary.said[-2:])
        assert self.talk.log.times_said(f"drop {name}") == 0

    def interrupted(self, name: str) -> None:
        """A command that runs is interrupted, by a device or at the desk."""
        turn = self.cli.turns.shell(f"{self.command(name)}; sleep 120")
        prompt = self.ask(name, turn)
        self.take(prompt, True)
        until(lambda: self.diary.runs(name), 60)
        self.talk.state("busy")
        if self.dice.random() < 0.5:
            reply = self.talk.post("interrupt")
            assert reply.status == 200, f"{reply}\n{self.talk.seat.text()}"
        elif self.cli.escapes == 1:
            self.press_after_reading(ESCAPE)
        else:
            self.stop_at_the_desk()
        self.talk.idle(60)
        self.diary.cut_off.append(name)
        self.diary.over(prompt, name, "answered", end=False)

    def another_terminal(self, name: str) -> None:
        """Somebody attaches a terminal of another size, answers or not, and leaves."""
        prompt, allow = self.ask(name), self.dice.random() < 0.6
        with somebody_at(self.talk.seat, "person", size=self.dice.choice(SIZES)) as guest:
            time.sleep(self.dice.uniform(0, 1.5))
            assert [each["requestId"] for each in self.talk.pending()] == [prompt["requestId"]]
            if by_guest := self.dice.random() < 0.4:
                time.sleep(1)
                guest.press(self.cli.yes if allow else ESCAPE)
                self.talk.resolved(prompt)
        if not by_guest:
            reply = self.decide(prompt, allow)
            if reply.body.get("code") == "prompt_changed":  # it is being drawn for another size
                self.talk.seat.until(str.strip)
                time.sleep(2)
                self.take(prompt, allow)
        state = "answered_elsewhere" if by_guest else DECIDED[allow]
        self.diary.over(prompt, name, state, allow=allow)

    def mode_changed(self, name: str) -> None:
        """The mode is changed and changed back; while something is asked it cannot be."""
        usual, other = self.talk.testbed.rests_in or "default", self.cli.other_mode
        for mode in (other, usual):
            reply = self.talk.post("permission-mode", mode=mode)
            assert (reply.status, reply.body["mode"]) == (200, mode), reply
        prompt = self.ask(name)
        assert self.talk.post("permission-mode", mode=other).status == 409
        self.take(prompt, True)
        self.diary.over(prompt, name, "answered")
        assert self.talk.get().body["mode"] == usual

    def restart(self, name: str) -> None:
        """The server dies, or is ended, while a prompt is open; its id stays."""
        prompt = self.ask(name)
        served = self.talk.testbed.served
        served.kill() if self.dice.random() < 0.5 else served.stop()
        self.talk.events.close()
        served.start()
        self.talk.listen()
        assert [each["requestId"] for each in self.talk.pending()] == [prompt["requestId"]]
        self.take(prompt, True)
        self.diary.over(prompt, name, "answered", allow=True)

    # What steps consist of

    def say(self, text: str) -> None:
        """Say something to the model."""
        self.diary.said.append(self.talk.say(text))

    def command(self, name: str) -> str:
        """A command whose runs can be counted."""
        return f"date >> {name}.txt"

    def ask(self, name: str, turn: Any = None) -> dict[str, Any]:
        """Have the model ask something; the prompt."""
        turn = turn or self.cli.turns.shell(self.command(name))
        self.diary.said.append(f"please do {name}")
        prompt = self.talk.do(turn, text=self.diary.said[-1])
        assert name in str(prompt), f"another prompt: {prompt}"
        self.diary.heard(self.diary.said[-1])
        return prompt

    def decide(self, prompt: Mapping[str, Any], allow: bool) -> Any:
        """Approve or deny by REST."""
        return self.talk.approve(prompt) if allow else self.talk.deny(prompt)

    def take(self, prompt: Mapping[str, Any], allow: bool) -> None:
        """Approve or deny by REST, which is the answer that counts."""
        reply = self.decide(prompt, allow)
        assert (reply.status, reply.body.get("state")) == (200, DECIDED[allow]), (
            f"{reply}\n{self.talk.pending()}\n{self.talk.seat.text()}"
        )

    def card(self, prompt: Mapping[str, Any], allow: bool) -> Any:
        """A choice on the prompt's card, once it can be tapped."""
        card = self.page.locator(f"{CARD}[data-request='{prompt['requestId']}']")
        card.wait_for()
        for fold in card.locator(".fold-more:visible").all():
            fold.tap()
        return card.locator(".choice.allow-once" if allow else ".choice.deny").first

    def tap(self, prompt: Mapping[str, Any], allow: bool) -> None:
        """Decide on the page, and see the outcome there."""
        card = self.page.locator(f"#prompt-{prompt['requestId']}")
        tap_until_taken(card, lambda: self.card(prompt, allow).tap())
        try:
            card.locator(".outcome").wait_for(state="attached")
        except Exception as error:
            now = self.talk.testbed.client.get(f"/api/prompts/{prompt['requestId']}").body
            shown = card.evaluate_all("cards => cards.map(card => card.outerHTML).join()")
            raise AssertionError(f"{now}\n{shown}\n{self.talk.seat.text()}") from error

    def pick(self, choice: Any) -> None:
        """Tick a choice, again where the card was drawn once more while the finger was down."""
        for _ in range(5):
            choice.click()
            if choice.is_checked():
                return
        raise AssertionError(f"it cannot be ticked: {choice}")

    def press_after_reading(self, key: str) -> None:
        """Press a key at the desk, no sooner than a person can: Claude drops keys before that."""
        time.sleep(self.dice.uniform(0.4, 1.2))
        self.desk.press(key)

    def stop_at_the_desk(self) -> None:
        """Press Escape as often as it stops a turn, and again where the CLI works on.

        Of two within a twentieth of a second Copilot makes one key, and it does not count one that
        comes half a second later: on a busy machine it may read them otherwise than they came.
        """
        for _ in range(3):
            for _ in range(self.cli.escapes):
                self.talk.seat.press("Escape")
                time.sleep(0.25)
            with suppress(AssertionError):
                self.talk.state("idle", 8)
                return

    def at_once(self, device: Callable[[], Any], other: Callable[[], None]) -> Any:
        """Do both within the same moment; the reply to the device."""
        device_waits, other_waits = self.dice.uniform(0, AT_ONCE), self.dice.uniform(0, AT_ONCE)

        def late() -> Any:
            time.sleep(device_waits)
            return device()

        with ThreadPoolExecutor(1) as pool:
            reply: Future[Any] = pool.submit(late)
            time.sleep(other_waits)
            other()
            return reply.result()


# How often each step comes.
STEPS = {
    "chat": 1,
    "by_rest": 3,
    "with_a_reason": 1,
    "at_the_desk": 2,
    "on_the_page": 2,
    "two_devices": 2,
    "device_and_desk": 2,
    "page_and_device": 2,
    "parallel": 2,
    "question": 2,
    "message_while_busy": 1,
    "message_while_asked": 1,
    "message_changed": 1,
    "written_at_the_desk": 1,
    "with_an_image": 1,
    "interrupted": 1,
    "another_terminal": 2,
    "mode_changed": 1,
}
