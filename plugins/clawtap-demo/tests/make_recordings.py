"""Make the recordings again, from the real demo agent in tmux: `python make_recordings.py`.

The truth beside each screen comes from what the agent was asked for, not from the adapter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from clawtap_demo.agent.dialog import Dialog
from clawtap_demo.agent.samples import sample
from clawtap_demo.agent.story import Ask, play

HERE = Path(__file__).resolve().with_name("recordings")
SIZES = ((120, 40), (80, 24), (42, 22))
ASKING = ["permission", "edit", "single", "multi", "text", "secret", "questions", "list"]
ASKING += ["plan", "loop", "nudge", "trust", "long", "unknown"]
QUIET = {
    "idle": (["--chat"], [], "mode ask", "idle"),
    "draft": (["--chat"], ["a draft of the desk's"], "the desk's", "idle"),
    "busy": (["--show", "think,say,busy"], [], "to watch.", "busy"),
    "quoting": (["--show", "quote"], [], "enter choose", "idle"),
    "half-a-prompt": (["--show", "edit", "--slow", "30"], [], "Edit src", None),
}
KINDS = {
    "Command": "permission",
    "Edit": "permission",
    "Plan": "plan",
    "Loop": "loop-detected",
    "Question": "question",
    "Tip": "startup",
    "Folder": "startup",
}


def main() -> None:
    """Record every prompt in every size, and what must not be taken for one."""
    HERE.mkdir(exist_ok=True)
    os.chdir("/")
    for cols, rows in SIZES:
        for name in ASKING:
            dialog = asked(name)
            save(
                f"{name}-{cols}x{rows}",
                ["--show", name],
                [],
                dialog.title,
                cols,
                rows,
                truth(dialog),
            )
        for name, (flags, typed, until, state) in QUIET.items():
            fields = {"is_prompt": False, "state": state}
            save(f"{name}-{cols}x{rows}", flags, typed, until, cols, rows, fields)


def asked(name: str) -> Dialog:
    """The dialog that a sample opens first."""
    return next(act.dialog for act in play([sample(name)]) if isinstance(act, Ask))


def truth(dialog: Dialog) -> dict[str, Any]:
    """What the dialog shows when it opens."""
    if dialog.strange:
        return {"is_prompt": False, "state": None}
    options = [
        {
            "index": at,
            "label": row.label + (f" ({row.hint})" if row.hint else ""),
            "description": row.description or None,
            "text_input": row.text,
        }
        for at, row in enumerate(dialog.rows, start=1)
    ]
    return {
        "is_prompt": True,
        "kind": KINDS[dialog.header.split()[0]],
        "title": dialog.title,
        "description": dialog.description.removeprefix("$ ") or None,
        "options": options,
        "selected_index": 1,
        "text_input": any(row.text for row in dialog.rows),
        "multi_select": dialog.multi,
        "state": "waiting",
    }


def save(
    name: str,
    flags: list[str],
    typed: list[str],
    until: str,
    cols: int,
    rows: int,
    truth: dict[str, Any],
) -> None:
    """Run the agent, wait for what it shows, save the screen with its facts and truth."""
    agent = [sys.executable, "-m", "clawtap_demo.agent", "--delay", "0", *flags]
    socket = f"clawtap-demo-{name}"
    size = ("-x", str(cols), "-y", str(rows))
    tmux(socket, "new-session", "-d", *size, "-c", "/", *agent)
    try:
        if typed:
            wait_for("mode ask", socket)
            tmux(socket, "send-keys", "-l", *typed)
        wait_for(until, socket)
        record = [sys.executable, "-m", "clawtap_core.cli", "record", "%0", "--socket", socket]
        subprocess.run([*record, "-o", str(HERE), "--name", name], check=True)
    finally:
        tmux(socket, "kill-server")
    beside = HERE / f"{name}.json"
    facts = json.loads(beside.read_text(encoding="utf-8"))
    text = json.dumps({**facts, **truth}, ensure_ascii=False, indent=1)
    beside.write_text(text + "\n", encoding="utf-8")


def wait_for(text: str, socket: str) -> None:
    """Until the screen shows the text, whatever the wrapping, and a moment longer."""
    wanted = squeeze(text)
    while wanted not in squeeze(tmux(socket, "capture-pane", "-p")):
        time.sleep(0.05)
    time.sleep(0.3)


def squeeze(text: str) -> str:
    """The text without blanks, folds and frames."""
    return "".join(text.translate(str.maketrans("", "", "↩│")).split())


def tmux(socket: str, *argv: str) -> str:
    """Run tmux on a server of the recording's own."""
    command = ["tmux", "-L", socket, "-f", "/dev/null", *argv]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
