"""The command `clawtap-demo-agent`, also `python -m clawtap_demo.agent`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from clawtap_demo.agent.app import App, Settings
from clawtap_demo.agent.log import Log
from clawtap_demo.agent.samples import SAMPLES, sample, tour
from clawtap_demo.agent.story import ITEMS, Item
from clawtap_demo.agent.transcript import TranscriptFile
from clawtap_demo.agent.tty import Terminal
from clawtap_demo.agent.view import MODELS, MODES


def main(argv: list[str] | None = None) -> int:
    """Run the agent in this terminal."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.version:
        print("demo agent 0.1.0")
        return 0
    settings = _settings(parser, options)
    transcript = TranscriptFile(options.resume or options.session)
    if options.resume:
        settings.said = transcript.read()
        if not settings.said:
            parser.error(f"no such session: {options.resume}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        parser.error("the demo agent needs a terminal: run it in one, or in a tmux pane")
    terminal = Terminal()
    with terminal.raw():
        log = Log(options.log or os.environ.get("DEMO_LOG"))
        status = App(settings, terminal, log, transcript).run()
    print("◇ demo agent ended")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="clawtap-demo-agent",
        description="A scripted agent that asks all that an AI coding CLI asks. "
        "Without arguments it begins a tour by itself.",
        epilog=f"NAMES for --show: {', '.join(SAMPLES)}",
    )
    add = parser.add_argument
    add("message", nargs="?", help="the first message: begins the first turn")
    add("--show", metavar="NAMES", help="one turn of these prompts, by name, with commas between")
    add(
        "--script",
        metavar="FILE",
        type=Path,
        help="a scenario: a JSON list of turns, or turns by message",
    )
    add("--chat", action="store_true", help="no tour: wait, and answer every message")
    add("--wait", action="store_true", help="begin the first turn with the first message")
    add("--greet", metavar="SECONDS", type=float, help="wait so long before the tour begins")
    add("--delay", metavar="MS", type=float, default=30, help="pace of the stream (default 30)")
    add("--slow", metavar="SECONDS", type=float, default=0, help="paint half a prompt first")
    add("--spinner", action="store_true", help="draw a spinner at 10 Hz all the time")
    add("--model", choices=MODELS, default=MODELS[0])
    add("--mode", choices=MODES, default=MODES[0])
    add("--log", metavar="FILE", help="JSON lines of keys and decisions (also env DEMO_LOG)")
    add("--session", metavar="ID", help="the name of the file in which it keeps what was said")
    add("--resume", metavar="ID", help="go on with what was said in this session, without a tour")
    add("--version", action="store_true", help="print the version")
    return parser


def _settings(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
    shown = bool(options.show or options.script or options.chat)
    waits = options.wait or options.chat or options.resume
    greet = options.greet if options.greet is not None else (0.0 if shown else 3.0)
    turns, replies = _scenario(parser, options)
    return Settings(
        turns=[] if options.resume else turns,
        replies=replies,
        message=options.message,
        greet=None if waits else greet,
        pace=options.delay / 1000,
        slow=options.slow,
        spinner=options.spinner,
        model=options.model,
        mode=options.mode,
    )


def _scenario(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[list[list[Item]], dict[str, list[Item]]]:
    """Return the turns in their order, and those that a message of these words begins."""
    if options.script:
        try:
            script = json.loads(options.script.read_text(encoding="utf-8"))
            if isinstance(script, dict):
                return [], dict(zip(script, _checked([*script.values()]), strict=True))
            return _checked(script), {}
        except (OSError, ValueError) as error:
            parser.error(f"--script: {error}")
    if options.show:
        names = options.show.split(",")
        if unknown := [name for name in names if name not in SAMPLES]:
            parser.error(f"--show: no such prompt: {', '.join(unknown)} ({', '.join(SAMPLES)})")
        return [[sample(name) for name in names]], {}
    return [] if options.chat else [tour()], {}


def _checked(turns: object) -> list[list[Item]]:
    if not isinstance(turns, list) or not all(isinstance(turn, list) for turn in turns):
        raise ValueError("expected a list of turns, each a list of items")
    for item in (item for turn in turns for item in turn):
        if not isinstance(item, dict) or not set(item) & set(ITEMS):
            raise ValueError(f"an item has one of the keys {', '.join(ITEMS)}; found {item!r}")
    return turns


if __name__ == "__main__":
    sys.exit(main())
