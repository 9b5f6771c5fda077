"""A question that a CLI asks, in normal form, and its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any


class Kind(str, Enum):
    """The sort of question; the wire's `type`."""

    PERMISSION = "permission"
    QUESTION = "question"
    PLAN = "plan"
    LOOP = "loop-detected"
    UNKNOWN = "unknown"


class Effect(str, Enum):
    """What choosing an option means, for /approve, /deny, colours and rules."""

    ALLOW_ONCE = "allow_once"
    ALLOW_ALWAYS = "allow_always"
    DENY = "deny"
    OTHER = "other"


class PromptState(str, Enum):
    """The state of a prompt: pending, being answered, or ended."""

    PENDING = "pending"
    ANSWERING = "answering"
    ANSWERED = "answered"
    DENIED = "denied"
    ANSWERED_ELSEWHERE = "answered_elsewhere"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def open(self) -> bool:
        """Whether it waits or is being answered."""
        return self in (PromptState.PENDING, PromptState.ANSWERING)


@dataclass(frozen=True, slots=True)
class Option:
    """One selectable row: `value` is a stable slug of `label`, the CLI's own words.

    A key hint at the end of the row ("esc", "y") goes into `hint`, never into the label. `data` is
    whatever JSON the adapter needs back when the option is chosen; no client sees it.
    """

    value: str
    label: str
    effect: Effect = Effect.OTHER
    hint: str | None = None
    description: str | None = None
    data: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class TextInput:
    """Free text that the prompt takes."""

    placeholder: str | None = None


@dataclass(frozen=True, slots=True)
class QuestionOption:
    """One answer that a question offers."""

    label: str
    description: str | None = None
    preview: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form.

    `other`: it takes free text besides its options; `notes`: the answer may have a note. Without
    options it is a text field of `input_type` (text, number, boolean, email, uri, date). Answers
    to a `secret` question are not stored.
    """

    question: str
    header: str = ""
    options: tuple[QuestionOption, ...] = ()
    multi_select: bool = False
    other: bool = False
    input_type: str | None = None
    required: bool = True
    secret: bool = False
    placeholder: str | None = None
    notes: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """The position within several questions; `index` counts from 1."""

    index: int
    total: int


@dataclass(frozen=True, slots=True)
class PromptForm:
    """What a CLI asks, as an adapter reads it: complete, or not reported at all.

    `subject` identifies a question of its kind whatever the wrapping, the options and the size of
    the pane: by default title and description. `truncated`: the CLI cut the description;
    `expandable`: `reveal` can open the rest.
    `more_options`: a scrolling list hides some. `selected` is the `value` (or the question option's
    label) at the cursor. `dialog` names a start-up dialog ("folder-trust", "ide-nudge", ...), and
    `dismiss` the option that closes it without deciding anything for the user: only launched
    sessions are dismissed, each dialog once. `top` is the screen row where the prompt begins.
    `provisional`: the CLI may complete what it shows within a moment, such as an option's label.
    `rewrapped`: `tool_input` was read from rows of the screen, which may hide a line break, a tab,
    the folder or what stands in an escape sequence, or is of a call that only begins with these
    rows. No rule answers it, and no button of a notification.
    `takes_reason`: a refusal has a field for its reason, which `respond` fills; otherwise the
    reason is sent as the next message.
    `unanswered`: the positions of the questions that a page of several marks as not answered.
    `answer_traces`: what the conversation above shows of this call only after its answer, where
    calls that wait are drawn like answered ones.
    `above`: the end of what stands above it, squeezed, where a program may ask the same about
    something else; the top of a pane may cut it.
    """

    kind: Kind
    title: str
    description: str = ""
    subject: str = ""
    truncated: bool = False
    expandable: bool = False
    tool_name: str | None = None
    tool_input: Mapping[str, Any] | None = None
    tool_call_id: str | None = None
    options: tuple[Option, ...] = ()
    more_options: bool = False
    text_input: TextInput | None = None
    questions: tuple[Question, ...] = ()
    selected: str | None = None
    screen: str | None = None
    origin: str | None = None
    position: Position | None = None
    dialog: str | None = None
    dismiss: str | None = None
    top: int | None = None
    takes_reason: bool = False
    provisional: bool = False
    rewrapped: bool = False
    unanswered: tuple[int, ...] = ()
    answer_traces: tuple[str, ...] | None = None
    above: str = ""

    def option(self, name: str) -> Option | None:
        """Return the option with this value or label."""
        for option in self.options:
            if name in (option.value, option.label):
                return option
        return None

    def with_effect(self, effect: Effect) -> Option | None:
        """Return the first option with this effect."""
        return next((option for option in self.options if option.effect is effect), None)


# The `by` of an answer that a program gave in advance, for when nobody answers in time.
BY_DEFAULT = "default"


# The device of whoever has the owner's token, where no other machine is concerned.
LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did something: a person, rule or program, and the `device` used, by name and id."""

    by: str = "user"
    device: str = LOCAL
    device_id: str = ""


# The answer to one question: free text, a label, or the labels of a multi-select.
Answer = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """The answer of a person, rule or program.

    `answers` and their `notes` are keyed "0", "1", … by question. `decision` ("approve", "deny")
    stands for the option with that effect if none is named; adapters receive it resolved, except
    for "deny" of a prompt without a deny option.
    """

    request_id: str
    selected_option: str | None = None
    text_value: str | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)
    reason: str | None = None
    decision: str | None = None
    notes: Mapping[str, str] = field(default_factory=dict)

    def labels(self, question: int = 0) -> tuple[str, ...]:
        """Return the labels and texts that answer a question."""
        answer = self.answers.get(str(question), ())
        return (answer,) if isinstance(answer, str) else tuple(answer)


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a prompt ended; `response` is without secrets."""

    outcome: PromptState
    by: str
    device: str
    at: datetime
    response: Response | None = None
    detail: str | None = None
    device_id: str = ""


@dataclass(frozen=True)
class Prompt:
    """One appearance of a question: two identical ones in a row are two prompts.

    `default` is the label or text that answers it at `expires_at`; without one it expires then.
    Without slots, so that its wire form can be kept with it.
    """

    request_id: str
    session_id: str
    channel: str
    form: PromptForm
    created_at: datetime
    state: PromptState = PromptState.PENDING
    expires_at: datetime | None = None
    resolution: Resolution | None = None
    default: str | None = None
