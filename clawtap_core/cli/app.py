"""The command `clawtap` and the table of its own commands."""

from __future__ import annotations

import click

from clawtap_core import __version__
from clawtap_core.cli.lazy_group import BuiltIn, LazyGroup

BUILT_IN = {
    "serve": BuiltIn("serve", "Start the server and print its URL."),
    "demo": BuiltIn("serve", "Try ClawTap with a scripted agent."),
    "service": BuiltIn("service", "Keep the server running, also after a logout and a reboot."),
    "fleet": BuiltIn("fleet", "Show the sessions of several machines in one list, over a Redis."),
    "hub": BuiltIn("hub", "Serve the page and the API of a fleet, without CLIs or tmux."),
    "new": BuiltIn("sessions", "Start a CLI session."),
    "adopt": BuiltIn("sessions", "Adopt a running pane such as %12, or list such panes."),
    "ls": BuiltIn("sessions", "List the sessions, newest activity first."),
    "attach": BuiltIn("sessions", "Open the terminal of a session with tmux (leave with C-b d)."),
    "end": BuiltIn("sessions", "End a started session, or release an adopted one."),
    "restore": BuiltIn(
        "restore", "Bring back the sessions that were lost, or the named ones of them."
    ),
    "send": BuiltIn("messages", "Send a message, or queue it while the CLI is busy."),
    "queue": BuiltIn(
        "messages", "List the messages that wait to be sent to a session, or take one back."
    ),
    "wait": BuiltIn(
        "wait",
        "Wait until a session is idle, asks something, reaches its usage limit, or has ended.",
    ),
    "run": BuiltIn("wait", "Start an agent, give it a task, and print its answer."),
    "interrupt": BuiltIn("messages", "Interrupt a busy session."),
    "limit": BuiltIn(
        "limits", "Show a session's usage limit; resume when it ends, or treat it as over."
    ),
    "mode": BuiltIn("messages", "Set the permission mode of a session."),
    "model": BuiltIn("messages", "Set the model of a session."),
    "pending": BuiltIn("prompts", "List open prompts, oldest first, of all sessions or of one."),
    "approve": BuiltIn("answers", "Approve a prompt: by its id, or the only open one."),
    "deny": BuiltIn("answers", "Deny a prompt: by its id, or the only open one."),
    "answer": BuiltIn("answers", "Answer the questions of a prompt."),
    "respond": BuiltIn("answers", "Answer a prompt of any kind with a complete response."),
    "ask": BuiltIn("ask", "Ask a person and print the answer."),
    "mcp": BuiltIn("ask", "Serve the tool ask_human to an MCP client over stdio."),
    "rules": BuiltIn("rules", "Let rules answer permissions, and try and explain them."),
    "watch": BuiltIn("watch", "Print events as they happen, one line each (stop with C-c)."),
    "journal": BuiltIn("watch", "Print past events: prompts, answers, who gave them."),
    "hooks": BuiltIn("hooks", "Let CLIs report to ClawTap through their own hooks."),
    "history": BuiltIn("history", "List stored conversations, newest first, or read one."),
    "search": BuiltIn("search", 'Find sessions and messages by words or "phrases".'),
    "archive": BuiltIn("sessions", "Take a session off the list, or put it back."),
    "plugins": BuiltIn("plugins", "Show every plugin: loaded, broken, missing or blocked."),
    "devices": BuiltIn("devices", "List who has access, invite people, and revoke access."),
    "install": BuiltIn("install", "Install adapters and other plugins, such as `claude`."),
    "completion": BuiltIn("completion", "Print the lines that let your shell complete commands."),
    "doctor": BuiltIn("doctor", "Check what ClawTap needs here, and say what to do."),
    "detect": BuiltIn("screens", "Read captured screens and print their prompt and state."),
    "steps": BuiltIn("screens", "Print the first keys that would answer a captured prompt."),
    "record": BuiltIn("record", "Save the screen of a pane such as %12 as a recording."),
    "new-adapter": BuiltIn("new_adapter", "Write a package with an adapter for the CLI NAME."),
    "check-adapter": BuiltIn(
        "check_adapter", "Check whether the installed adapter NAME keeps the contract."
    ),
}


@click.group(
    cls=LazyGroup,
    built_in=BUILT_IN,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="clawtap")
def cli() -> None:
    """Answer the prompts of AI coding CLIs from a browser, over REST or on the command line.

    `clawtap serve` starts the server, `clawtap demo` tries it with a scripted agent. The other
    commands talk to the running server. An id may be shortened to any unique prefix.
    """
