"""What the agent does: a scenario's items as acts, played one after another.

A scenario is a list of turns; a turn is a list of items, each a dict with one of the keys
of `ITEMS` (docs/adapters.md describes them). The first turn begins at the start, each later
one with a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from clawtap_demo.agent.dialog import Decision, Dialog, Row

_WORD = re.compile(r"[^ \n]*[ \n]|[^ \n]+")
Item = dict[str, Any]


@dataclass(frozen=True)
class Show:
    """Put text on the screen: a new block, or, without a mark, more of the last one."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Wait:
    """Be busy for some paces (`--delay` is one) and seconds."""

    paces: float = 0
    seconds: float = 0


@dataclass(frozen=True)
class Ask:
    """Open a dialog and wait for its decision."""

    dialog: Dialog


@dataclass(frozen=True)
class Exit:
    """End the agent."""

    status: int = 0


Act = Show | Wait | Ask | Exit
Acts = Generator[Act, Decision, None]


def play(items: list[Item]) -> Acts:
    """Play one turn."""
    for item in items:
        for _ in range(int(item.get("repeat", 1))):
            name = next(name for name in ITEMS if name in item)
            yield from ITEMS[name](item)
            yield Wait(paces=4)


def _say(item: Item) -> Acts:
    yield from _stream("◆", item["say"])


def _think(item: Item) -> Acts:
    yield from _stream("✻", item["think"])


def _stream(mark: str, text: str) -> Acts:
    for index, word in enumerate(_WORD.findall(text) or [""]):
        yield Show(word, "" if index else mark)
        yield Wait(paces=1)


def _run(item: Item) -> Acts:
    command = item["run"]
    program = command.split()[0] if command.split() else command
    rows = [
        Row("Yes, run it", "y"),
        Row(f"Yes, and don't ask again for {program}", "a"),
        Row("No, don't run it", "esc"),
    ]
    decision = yield Ask(Dialog("Command", "Run this command?", rows, f"$ {command}"))
    if decision.labels in ((rows[2].label,), ()):
        yield Show(f"Not run: {command}", "✗")
    else:
        yield Show(f"$ {command}\n{item.get('output', 'done')}", "⚙")


def _edit(item: Item) -> Acts:
    path, diff = item["edit"], item.get("diff", "+new line")
    rows = [
        Row("Yes, apply it", "y"),
        Row("Yes, and allow every edit in this session", "a"),
        Row("No, leave the file as it is", "esc"),
    ]
    decision = yield Ask(Dialog("Edit", f"Edit {path}?", rows, diff))
    refused = decision.labels in ((rows[2].label,), ())
    yield Show(f"{'Not edited' if refused else 'Edited'}: {path}", "✗" if refused else "✓")


def _ask(item: Item) -> Acts:
    questions = item["ask"]
    for index, question in enumerate(questions, start=1):
        where = f" {index}/{len(questions)}" if len(questions) > 1 else ""
        yield Ask(_question(question, f"Question{where}"))


def _question(question: Item, header: str) -> Dialog:
    rows = [
        Row(option)
        if isinstance(option, str)
        else Row(option["label"], description=option.get("description", ""))
        for option in question.get("options", ())
    ]
    if not rows or question.get("other"):
        rows.append(Row("Something else" if rows else "Your answer", text=True))
    return Dialog(
        header,
        question["question"],
        rows,
        question.get("description", ""),
        multi=bool(question.get("multi")),
        secret=bool(question.get("secret")),
    )


def _plan(item: Item) -> Acts:
    plan = item["plan"]
    rows = [
        Row("Yes, go ahead", "y"),
        Row("Yes, and don't ask about edits", "a"),
        Row("No, change the plan", text=True),
    ]
    while True:
        decision = yield Ask(Dialog("Plan", "Is this plan all right?", rows, plan))
        if not decision.text:
            break
        yield from _stream("◆", f"I change the plan: {decision.text}")
        plan += f"\n{plan.count(chr(10)) + 2}. {decision.text}"
    yield Show("Plan approved." if decision.labels else "Plan dropped.", "✓")


def _loop(item: Item) -> Acts:
    rows = [Row("Keep going", "y"), Row("Stop here", "esc")]
    title = "The agent seems to repeat itself. Keep going?"
    decision = yield Ask(Dialog("Loop", title, rows, str(item["loop"])))
    yield Show("I go on." if decision.labels == ("Keep going",) else "I stop.", "◆")


def _unknown(item: Item) -> Acts:
    rows = [Row("Later"), Row("Now")]
    yield Ask(Dialog("", str(item["unknown"]), rows, "← → and enter", strange=True))


def _tip(item: Item) -> Acts:
    rows = [Row("Show me", "y"), Row("Not now", "esc")]
    yield Ask(Dialog("Tip", "Connect your editor?", rows, str(item["tip"])))


def _trust(item: Item) -> Acts:
    rows = [Row("Yes, I trust it", "y"), Row("No, leave", "esc")]
    decision = yield Ask(Dialog("Folder", "Do you trust this folder?", rows, str(item["trust"])))
    if decision.labels != (rows[0].label,):
        yield Exit()


def _busy(item: Item) -> Acts:
    yield Wait(seconds=float(item["busy"]))


def _exit(item: Item) -> Acts:
    yield Exit(int(item["exit"]))


ITEMS: dict[str, Callable[[Item], Acts]] = {
    "say": _say,
    "think": _think,
    "run": _run,
    "edit": _edit,
    "ask": _ask,
    "plan": _plan,
    "loop": _loop,
    "unknown": _unknown,
    "tip": _tip,
    "trust": _trust,
    "busy": _busy,
    "exit": _exit,
}
