"""What a prompt asks, in a line of plain words that are the same for every CLI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from clawtap_core.commands.permissions import named_paths, shell_command
from clawtap_core.commands.tool_verbs import tool_verb
from clawtap_core.model import Kind, Prompt, PromptForm

_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)|(?P<server2>[\w-]+)\.(?P<tool2>[\w.-]+)")
_FILE = re.compile(r"(?:[A-Z][\w' ]* )?(?P<path>[\w.@~+/-]*[\w+-]\.\w{1,8})(?P<asks>\?)?")
# A title of these words alone says nothing of what is asked.
_EMPTY = re.compile(
    r"(?i)(?:\b(?:do|would|you|want|like|to|allow|approve|proceed|use|run|execute|execution|of|the|an?"
    r"|this|it|tool|call|action|request)\b\W*)*"
)
_WORDS = re.compile(r"[a-z]+(?:_[a-z]+)+")
# How CLIs write a call that has no dialog of its own: Web Search("clawtap").
_CALL = re.compile(r"(?P<tool>[A-Z]\w*(?: \w+){0,3})\(")
_LONGEST = 60


def headline(prompt: Prompt, changed: Sequence[str] = ()) -> str:
    """Return the headline of a prompt; `changed` are the files that its body shows as changed.

    A program that asks has chosen its own, and so has a CLI for its dialogs.
    """
    form = prompt.form
    if prompt.channel == "external" or form.dialog:
        return form.title
    if form.kind is Kind.PLAN:
        return "Approve the plan?"
    if form.kind is Kind.QUESTION:
        return _of_questions(form)
    of_call = _of_call(form, changed) if form.kind is Kind.PERMISSION else ""
    return of_call or form.title or "Allow this?"


def mcp_tool(name: str) -> tuple[str, str] | None:
    """Return the server and the tool that a name such as mcp__notes__read stands for."""
    match = _MCP.fullmatch(name)
    return (match["server"] or match["server2"], match["tool"] or match["tool2"]) if match else None


def _of_questions(form: PromptForm) -> str:
    texts = [question.question for question in form.questions]
    headers = {question.header for question in form.questions}
    if form.title and form.title != "…" and form.title not in {*texts, *headers}:
        return form.title
    if len(texts) > 1:
        # The text of one question is no title for all of them.
        return f"{len(texts)} questions"
    return next(filter(None, texts), form.title)


def _of_call(form: PromptForm, changed: Sequence[str]) -> str:
    call = form.tool_input or {}
    tool = form.tool_name or ""
    if of_server := mcp_tool(tool):
        return f"Use {of_server[1]} from {of_server[0]}?"
    verb = "Run" if shell_command(call) else tool_verb(tool)
    if verb == "Run":
        return "Run a command?"
    if verb == "Start":
        return "Start a subagent?"
    if verb == "Fetch":
        return f"Fetch {_host(str(call.get('url') or '')) or 'a page'}?"
    if verb == "Access":
        return f"Access {call.get('path') or _files(form, changed) or 'a file'}?"
    if verb:
        return f"{verb} {_files(form, changed) or 'a file'}?"
    if not _EMPTY.fullmatch(form.title):
        return ""
    if not tool:
        drawn = _CALL.match(form.description)
        return f"Use {drawn['tool']}?" if drawn else ""
    if _WORDS.fullmatch(tool):
        return f"{tool.replace('_', ' ').capitalize()}?"
    return f"Use {tool}?"


def _host(url: str) -> str:
    """Return the host of an address, without the name and password that may be before it."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _files(form: PromptForm, changed: Sequence[str]) -> str:
    """Return the name of the file that a call is about, or how many there are; "" if not known."""
    paths = list(dict.fromkeys(named_paths(form.tool_input or {}))) or list(changed)
    if len(paths) > 1:
        return f"{len(paths)} files"
    if not paths:
        # The CLI asks in the title, or in the last line, which may be of the file.
        last = _FILE.fullmatch(form.description.rstrip().rpartition("\n")[2])
        asked = _FILE.fullmatch(form.title) or (last if last and last["asks"] else None)
        paths = [asked["path"]] if asked else []
    name = paths[0].rstrip("/").rpartition("/")[2] if paths else ""
    return name if len(name) <= _LONGEST else f"…{name[-_LONGEST:]}"
