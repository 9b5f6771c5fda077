"""A prompt as a card: its text and its buttons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clawtap_core.commands import PATH_KEYS, Risk, asker, headline, mcp_tool, permission_marks
from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    Position,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    TextInput,
)
from clawtap_core.model.ansi import exact
from clawtap_core.model.moments import wire_time
from clawtap_core.server.batch import batch_key
from webui.viewmodels.outcome import Outcome, outcome
from webui.viewmodels.prompt_body import Block, blocks
from webui.viewmodels.rule_rows import Offer
from webui.viewmodels.session_row import is_inside

_KINDS = {
    Kind.PERMISSION: ("shield", "Permission"),
    Kind.QUESTION: ("question", "Question"),
    Kind.PLAN: ("plan", "Plan"),
    Kind.LOOP: ("loop", "Loop"),
    Kind.UNKNOWN: ("terminal", "Needs a look"),
}
_RISKS = {
    Risk.ROOT: "Runs as root",
    Risk.DOWNLOAD: "Runs a download",
    Risk.FORCE_PUSH: "Force-pushes",
    Risk.DELETE: "Deletes",
    Risk.OUTSIDE: "Leaves the project",
}
_MOST_UNKNOWN = 2
MOST_SUBJECT = 120
_MOST_DEFAULT = 40
_EFFECTS = {
    Effect.ALLOW_ONCE: ("check", "Once"),
    Effect.ALLOW_ALWAYS: ("check-all", "Always"),
    Effect.DENY: ("cross", "Deny"),
}

_BRIEF = {
    (Kind.PERMISSION, Effect.ALLOW_ONCE): "Allow once",
    (Kind.PERMISSION, Effect.DENY): "Deny",
    (Kind.PLAN, Effect.ALLOW_ONCE): "Approve",
    (Kind.PLAN, Effect.DENY): "Reject",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One option as a button: the CLI's label, and its effect as colour, icon and word."""

    value: str
    label: str
    effect: str
    icon: str
    word: str
    description: str
    brief: str = ""
    """What it does in two words, where a long text leaves no room for the label."""


@dataclass(frozen=True, slots=True)
class Group:
    """Options in a row that all refuse, or all do not."""

    deny: bool
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """All that the card's template needs."""

    id: str
    session_id: str
    type: str
    state: str
    icon: str
    word: str
    title: str
    blocks: tuple[Block, ...]
    groups: tuple[Group, ...]
    questions: tuple[Question, ...]
    text_input: TextInput | None
    more_options: bool
    truncated: bool
    expandable: bool
    asker: str
    position: Position | None
    created_at: str
    expires_at: str
    default: str
    outcome: Outcome | None
    subject: str
    subject_code: bool
    risks: tuple[str, ...]
    reason_follows: bool
    batch: str
    offer: Offer | None = None
    undo: bool = False

    @property
    def open(self) -> bool:
        """Whether it waits for an answer."""
        return PromptState(self.state).open

    @property
    def order(self) -> str:
        """When it was asked, or when it ended."""
        return self.outcome.at if self.outcome and self.outcome.at else self.created_at

    @property
    def has_screen(self) -> bool:
        """Whether the raw screen and the key pad belong to it."""
        return self.type == Kind.UNKNOWN.value

    @property
    def compact(self) -> bool:
        """Whether a long text needs the room of all answers but the briefest."""
        choices = (choice for group in self.groups for choice in group.choices)
        return any(block.long for block in self.blocks) and any(map(_is_brief, choices))

    @property
    def needs_submit(self) -> bool:
        """Whether no option of the CLI sends the answers to its questions."""
        return bool(self.questions) and all(group.deny for group in self.groups)


def card(prompt: Prompt, folder: str = "") -> Card:
    """Return the card of a prompt; `folder` is the one in which its session works."""
    form = prompt.form
    icon, word = _KINDS[form.kind]
    shown = blocks(form)
    changed = [block.change.path for block in shown if block.change and block.change.path]
    title = exact(headline(prompt, changed)) or word
    subject, subject_code = _subject(form, title, shown)
    return Card(
        id=prompt.request_id,
        session_id=prompt.session_id,
        type=form.kind.value,
        state=prompt.state.value,
        icon=icon,
        word=word,
        title=title,
        blocks=shown,
        groups=tuple(_groups(form)),
        questions=form.questions,
        text_input=form.text_input,
        more_options=form.more_options,
        truncated=form.truncated,
        expandable=form.truncated and form.expandable,
        asker=exact(asker(prompt)),
        position=form.position,
        created_at=wire_time(prompt.created_at),
        expires_at=wire_time(prompt.expires_at) if prompt.expires_at else "",
        default=_default(prompt.default or ""),
        outcome=outcome(prompt),
        subject=subject,
        subject_code=subject_code,
        risks=tuple(_risks(form, shown, folder)) if form.kind is Kind.PERMISSION else (),
        reason_follows=prompt.channel == "terminal" and not (form.takes_reason or form.text_input),
        batch=exact(" ".join(batch_key(prompt) or ())),
    )


def _is_brief(choice: Choice) -> bool:
    return bool(choice.brief) and choice.effect == "allow-once"


def _default(answer: str) -> str:
    line = " ".join(exact(answer).split())
    return line if len(line) <= _MOST_DEFAULT else line[: _MOST_DEFAULT - 1] + "…"


def _risks(form: PromptForm, shown: tuple[Block, ...], folder: str) -> Iterator[str]:
    marks = permission_marks(form.tool_input or {}, folder or None, form.tool_name)
    yield from (_RISKS[risk] for risk in marks.risks)
    # What could not be followed must not look harmless.
    yield from (f"Not checked: {exact(part)}" for part in marks.unknown[:_MOST_UNKNOWN])
    # A change that is known only from the screen names its file there.
    paths = (block.change.path for block in shown if block.change and folder)
    outside = any(path.startswith("/") and not is_inside(path, folder) for path in paths)
    if outside and Risk.OUTSIDE not in marks.risks:
        yield _RISKS[Risk.OUTSIDE]


def _subject(form: PromptForm, title: str, shown: tuple[Block, ...]) -> tuple[str, bool]:
    """Return what the prompt is about in a line, and whether it is code."""
    if form.kind is Kind.PLAN:
        return "the plan", False
    for block in shown if form.kind is Kind.PERMISSION else ():
        if block.kind == "code" and block.label == "Command":
            return block.text.strip().split("\n")[0][:MOST_SUBJECT], True
        if block.change and block.change.path:
            return block.change.path[-MOST_SUBJECT:], True
    if form.kind is Kind.PERMISSION:
        call = form.tool_input or {}
        server_and_tool = mcp_tool(form.tool_name or "") or ("", "")
        names = (server_and_tool[1], *(call.get(key) for key in (*PATH_KEYS, "url")))
        if name := next(filter(None, names), None):
            return exact(str(name))[-MOST_SUBJECT:], True
        title = title.removesuffix("?")
    return title.split("\n")[0][:MOST_SUBJECT], False


def _groups(form: PromptForm) -> Iterator[Group]:
    run: list[Choice] = []
    for option in form.options:
        choice = _choice(option, form.kind)
        if run and (run[-1].effect == "deny") != (choice.effect == "deny"):
            yield Group(run[-1].effect == "deny", tuple(run))
            run = []
        run.append(choice)
    if run:
        yield Group(run[-1].effect == "deny", tuple(run))


def _choice(option: Option, kind: Kind) -> Choice:
    icon, word = _EFFECTS.get(option.effect, ("arrow", ""))
    if option.effect is Effect.ALLOW_ALWAYS and "session" in option.label.lower():
        word = "This session"
    return Choice(
        value=option.value,
        label=exact(option.label),
        effect=option.effect.value.replace("_", "-"),
        icon=icon,
        word=word,
        description=exact(option.description or ""),
        brief=_BRIEF.get((kind, option.effect), ""),
    )
