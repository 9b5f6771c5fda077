"""Ten sessions of one CLI with what a working day brings, seven of which wait for their user.

A command of 300 lines, an edit of 60 places, a whole new file, three questions, a plan with a
table, two subagents, a dialog that no adapter knows; besides an answer with a table, one that is
being written, and an idle session.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from claude_testbed import ClaudeTestbed
from cli_testbed import CliSession, CliTestbed
from clilab.gemini_plan import enter
from every_cli import CLIS
from hooked_other_testbeds import HookedCodex, HookedGemini

COMMAND = "\n".join(f"echo 'part {number} of the build' >> build.log" for number in range(1, 301))
PLACES = 60
OLD = "\n".join(
    f"def price_{number}(cart):\n    total = cart.sum('row {number}')\n    return total\n"
    for number in range(PLACES)
)
NEW = OLD.replace("total = cart.sum", "total = cart.rounded_sum")
NEW_FILE = '''"""Prices with taxes, rounded as the law says."""

from decimal import Decimal

RATES = {"food": Decimal("0.07"), "books": Decimal("0.07"), "other": Decimal("0.19")}


def with_tax(net: Decimal, kind: str = "other") -> Decimal:
    """Return the price that a customer pays."""
    return (net * (1 + RATES[kind])).quantize(Decimal("0.01"))


class Cart:
    def __init__(self) -> None:
        self.rows: list[tuple[Decimal, str]] = []

    def total(self) -> Decimal:
        return sum((with_tax(net, kind) for net, kind in self.rows), Decimal())
'''
TABLE = """Here is what the three databases cost us in a month:

| database | requests per second | storage in gigabytes | monthly price | who runs it |
|---|---:|---:|---:|---|
| PostgreSQL on our own machines | 1,250 | 480 | 190.00 | the platform team |
| PostgreSQL at a large provider | 1,400 | 480 | 612.50 | nobody has to |
| SQLite beside each worker | 9,800 | 52 | 0.00 | `systemd`, and backups by `litestream` |

- [x] Measure what we have
- [ ] Decide

```python
def cheapest(rows: list[Row]) -> Row:
    return min(rows, key=lambda row: row.price / row.requests)
```
"""
PLAN = """# Move the shop to SQLite

1. **Copy** the tables with `scripts/copy_tables.py`
2. **Switch** the workers one by one

| step | takes | can be undone |
|---|---|---|
| copy | 10 minutes | yes |
| switch | 1 minute | yes, until the next order |

```sql
ATTACH DATABASE 'shop.db' AS shop;
INSERT INTO shop.orders SELECT * FROM orders;
```
"""
COPY, COSTS = "Copy the orders", "What do the databases cost?"
ANSWER = "\n\n".join(
    f"Step {number}: the orders of week {number} are copied and compared with the old ones."
    for number in range(1, 60)
)
# With our hooks, as docs/hooks.md has it: those of Claude Code are not needed for whole prompts.
TESTBEDS = {"claude": ClaudeTestbed, "codex": HookedCodex, "gemini": HookedGemini}
# What to type for a dialog that no adapter knows, and words that it shows.
UNKNOWN = {"claude": "/theme", "codex": "/theme", "gemini": "/privacy"}


class RichSessions:
    """The sessions by their names, each opened when it is first needed."""

    def __init__(self, name: str, version: str, folder: Path) -> None:
        self.name = name
        self.testbed: CliTestbed = TESTBEDS[name](version, folder)
        self.turns: Any = CLIS[name].turns
        self.talks: dict[str, CliSession] = {}
        self.prompts: dict[str, dict[str, Any]] = {}
        """As each prompt was first seen; what is known of it later, the server tells."""

    def open(self, *names: str) -> CliSession:
        """Open these sessions, or all, unless they are; the last one of them."""
        for name in names or SCENES:
            if name not in self.talks:
                SCENES[name](self)
        return self.talks[(names or tuple(SCENES))[-1]]

    def reopen(self, name: str) -> None:
        """End this session, and open one like it."""
        self.testbed.client.delete(self.talks.pop(name).path)
        SCENES[name](self)

    def prompt(self, name: str) -> str:
        """The id of the prompt that this session waits for."""
        talk = self.open(name)
        (prompt,) = talk.pending()
        return str(prompt["requestId"])

    def start(self, name: str, **request: Any) -> CliSession:
        """Start an idle session."""
        talk = self.testbed.start(**request)
        self.talks[name] = talk
        talk.idle(120)
        return talk

    def ask(self, name: str, talk: CliSession, *turns: Any, text: str) -> None:
        """Play turns that end at a prompt."""
        self.prompts[name] = talk.do(*turns, text=text)

    def to(self, task: str) -> dict[str, str]:
        """Keep a turn for who has this task: Claude Code asks its model for more than answers."""
        return {"to": task} if self.name == "claude" else {}

    def command(self) -> None:
        """A command of 300 lines."""
        talk = self.start("command")
        self.ask("command", talk, self.turns.shell(COMMAND), text="Build all parts of the shop")

    def edit(self) -> None:
        """An edit of 60 places in one file."""
        talk = self.start("edit")
        path = talk.cwd / "prices.py"
        path.write_text(OLD)
        if self.name == "codex":
            hunks = (
                f"@@\n-    total = cart.sum('row {n}')\n+    total = cart.rounded_sum('row {n}')"
                for n in range(PLACES)
            )
            calls = [self.turns.patch("*** Update File: prices.py", *hunks)]
        else:
            read = [self.turns.read(path)] if self.name == "claude" else []
            calls = [*read, self.turns.edit(path, OLD, NEW)]
        self.ask("edit", talk, *calls, text="Round the sums in prices.py")

    def file(self) -> None:
        """A whole new file."""
        talk = self.start("file")
        if self.name == "codex":
            # In its sandbox a new file of the project needs no permission.
            lines = self.turns.new_file(str(talk.cwd.parent / "taxes.py"), *NEW_FILE.splitlines())
            turn = self.turns.patch(lines)
        else:
            turn = self.turns.write(talk.cwd / "taxes.py", NEW_FILE)
        self.ask("file", talk, turn, text="Add the taxes")

    def questions(self) -> None:
        """Three questions with several choices."""
        talk = self.start("questions")
        choice = self.turns.choice
        many = {} if self.name == "codex" else {"multi": True}
        asked = [
            choice("Which database should the shop use?", "PostgreSQL", "SQLite", "MongoDB"),
            choice("Which parts move first?", "Orders", "Customers", "Stock", "Prices", **many),
            choice("When should the switch happen?", "Tonight", "On Sunday", "Next month"),
        ]
        if self.name == "codex":
            asked = [{**each, "id": f"q{at}"} for at, each in enumerate(asked)]
        self.ask("questions", talk, self.turns.ask(*asked), text="Ask me about the move")

    def plan(self) -> None:
        """A plan with a table and code."""
        mode = {"permissionMode": "plan"} if self.name == "claude" else {}
        talk = self.start("plan", **mode)
        if self.name == "codex":
            talk.post("permission-mode", mode="plan")
        turns = {
            "claude": lambda: self.turns.plan(PLAN),
            "codex": lambda: (self.turns.plan(PLAN),),
            "gemini": lambda: (enter(talk, PLAN),),
        }[self.name]()
        self.ask("plan", talk, *turns, text="Plan the move to SQLite")

    def agents(self) -> None:
        """Two subagents that ask at once, both for something risky."""
        if self.name == "claude":
            talk = self.start("agents")
            tasks = {name: f"Clean the {name} folder" for name in ("build", "cache")}
            call = self.turns.call
            starts = [
                call("Agent", description=task, prompt=task, subagent_type="general-purpose")
                for task in tasks.values()
            ]
            does = [
                {**self.turns.shell(f"sudo rm -rf {name}", f"Remove {name}"), "to": task}
                for name, task in tasks.items()
            ]
            turns = [self.turns.turn(*starts), *does]
        else:
            talk = self.start("agents")
            turns = [self.turns.parallel(["sudo rm -rf build", "sudo rm -rf cache"])]
        self.ask("agents", talk, *turns, text="Clean up with two agents")

    def unknown(self) -> None:
        """A dialog of the CLI that no adapter knows."""
        talk = self.start("unknown")
        talk.seat.say(UNKNOWN[self.name])
        self.prompts["unknown"] = talk.prompt(30)

    def table(self) -> None:
        """A conversation with a table, a task list and code."""
        talk = self.start("table")
        talk.model.play({"parts": [{"text": TABLE}], **self.to(COSTS)})
        talk.say(COSTS)
        talk.until(
            lambda now: now["state"] == "idle" and bool(talk.get("/messages").body["messages"][1:]),
            60,
        )

    def idle(self) -> None:
        """A session in which nothing was said."""
        self.start("idle")

    def busy(self) -> None:
        """An answer that is being written."""
        talk = self.start("busy")
        parts = [{"text": ANSWER, "split": 30}]
        talk.model.play({"parts": parts, "chunk_delay": 1.5, "stall": 600, **self.to(COPY)})
        talk.say(COPY)
        talk.state("busy", 60)


SCENES: dict[str, Callable[[RichSessions], None]] = {
    "command": RichSessions.command,
    "edit": RichSessions.edit,
    "file": RichSessions.file,
    "questions": RichSessions.questions,
    "plan": RichSessions.plan,
    "agents": RichSessions.agents,
    "unknown": RichSessions.unknown,
    "table": RichSessions.table,
    "idle": RichSessions.idle,
    "busy": RichSessions.busy,
}
WAITING = tuple(SCENES)[:7]
