"""The items that come with the agent: one of each, and the tour made of them."""

from __future__ import annotations

from pathlib import Path

from clawtap_demo.agent.story import Item

WELCOME = "Hello! I am the ClawTap demo agent: no model, no network, nothing is changed."

_DIFF = """@@ -1,4 +1,5 @@
 def greet(name):
-    print("hello")
+    \"\"\"Say hello to somebody.\"\"\"
+    print(f"hello, {name}")

 greet("you")"""

_SEVERAL = [
    {
        "question": "Which database shall I use?",
        "options": [
            {"label": "SQLite", "description": "one file, nothing to install"},
            {"label": "PostgreSQL", "description": "a server, for many writers"},
            {"label": "None", "description": "keep it in memory"},
        ],
        "other": True,
    },
    {
        "question": "Which checks shall I add?",
        "options": ["Tests", "Types", "Lint"],
        "multi": True,
        "other": True,
    },
    {"question": "What shall the project be called?"},
]

_PLAN = "1. Read the code\n2. Write a failing test\n3. Mend the greeting\n4. Run the tests"
_COLOURS = ["red", "orange", "yellow", "green", "teal", "blue", "indigo", "violet", "brown"]
_COLOURS += ["black", "white", "grey", "pink", "gold"]

SAMPLES: dict[str, Item] = {
    "say": {"say": "I stream an answer, word by word, so that there is something to watch."},
    "think": {"think": "Let me see what they asked for before I touch anything."},
    "permission": {"run": "touch made.txt && ls -la", "output": "made.txt"},
    "edit": {"edit": "src/greet.py", "diff": _DIFF},
    "single": {"ask": [_SEVERAL[0]]},
    "multi": {"ask": [_SEVERAL[1]]},
    "text": {"ask": [_SEVERAL[2]]},
    "secret": {"ask": [{"question": "What is the password?", "secret": True}]},
    "questions": {"ask": _SEVERAL},
    "plan": {"plan": _PLAN},
    "loop": {"loop": "The same command came five times in a row."},
    "unknown": {"unknown": "A storm is coming. Save your work?"},
    "list": {"ask": [{"question": "Which colour do you like?", "options": _COLOURS}]},
    "nudge": {"tip": "The editor plugin shows diffs beside your code."},
    "trust": {"trust": "The files in it can tell the agent what to do."},
    "long": {"run": "\n".join(f"echo line {number} of a long command" for number in range(1, 81))},
    "twice": {"run": "make test", "output": "ok", "repeat": 2},
    "quote": {
        "say": "A question of mine looks like this:\n"
        "╭─ Command ──────────╮\n│ Run this command?  │\n├────────────────────┤\n"
        "│ ❯ Yes, run it (y)  │\n╰────────────────────╯\n ↑↓ move · enter choose · esc"
    },
    "busy": {"busy": 3600},
    "exit": {"exit": 0},
}
TOUR = (
    "think",
    "say",
    "permission",
    "edit",
    "questions",
    "list",
    "plan",
    "loop",
    "unknown",
)
FAREWELL = {"say": "That was the tour. Write to me, or type /help to see one thing again."}


def sample(name: str) -> Item:
    """Return an item by its name; the trust dialog names the working directory."""
    item = dict(SAMPLES[name])
    if "trust" in item:
        item["trust"] = f"{Path.cwd()}\n{item['trust']}"
    return item


def tour() -> list[Item]:
    """Return the turn for newcomers."""
    return [*(sample(name) for name in TOUR), FAREWELL]
