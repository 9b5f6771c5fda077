"""The wire forms of the model's values, and of replies without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from marshmallow import Schema, fields, pre_dump

from clawtap_core.model import (
    AdapterInfo,
    AdapterStatus,
    Attachment,
    Block,
    Brand,
    Capabilities,
    Choice,
    Device,
    Event,
    Explanation,
    Folder,
    GuardRail,
    HistoryPage,
    Invitation,
    JournalPage,
    Judgement,
    Kind,
    LatestEvents,
    LaunchRequest,
    LiveCheckStatus,
    Machine,
    MachineStatus,
    Message,
    MessageMatch,
    MessagePage,
    Option,
    Pairing,
    PaneInfo,
    PluginStatus,
    Position,
    Prompt,
    PromptForm,
    PromptState,
    Question,
    QuestionOption,
    QueuedMessage,
    Resolution,
    Response,
    Restoration,
    Rule,
    RuleBook,
    RuleOffer,
    RuleTrial,
    Screen,
    SearchPage,
    Sent,
    Session,
    SessionMatch,
    Snapshot,
    SnippetPart,
    StepResult,
    StoredConversation,
    StoredSession,
    TextInput,
    TriedPrompt,
    UsageLimit,
)
from clawtap_core.prompts.secret_answers import without_secret_answers
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.derived import FORMS, DerivedSchema, derived, wire_field
from clawtap_core.schemas.fields import JsonText, Text

BrandSchema = derived(Brand)
CapabilitiesSchema = derived(Capabilities)
ChoiceSchema = derived(Choice, sparse=frozenset({"description"}))
PluginStatusSchema = derived(PluginStatus)
StepResultSchema = derived(StepResult)
LiveCheckStatusSchema = derived(LiveCheckStatus)
InvitationSchema = derived(Invitation, sparse=frozenset({"by"}))
PairingSchema = derived(Pairing)
UsageLimitSchema = derived(UsageLimit, sparse=frozenset({"continues"}))
SessionSchema = derived(Session, sparse=frozenset({"archived"}))
AttachmentSchema = derived(Attachment)
QueuedMessageSchema = derived(QueuedMessage, sparse=frozenset({"attachments"}))
SentSchema = derived(Sent)
RestorationSchema = derived(Restoration)
PaneInfoSchema = derived(PaneInfo)
FolderSchema = derived(Folder)
LaunchRequestSchema = derived(LaunchRequest, sparse=frozenset({"args"}))
BlockSchema = derived(Block, sparse=frozenset({"text"}))
MessageSchema = derived(Message)
MessagePageSchema = derived(
    MessagePage,
    sparse=frozenset({"newer"}),
    messages=wire_field(tuple[Message, ...], required=True),
)
EventSchema = derived(Event)
JournalPageSchema = derived(JournalPage)
LatestEventsSchema = derived(LatestEvents)
SnapshotSchema = derived(Snapshot)
StoredSessionSchema = derived(StoredSession)
HistoryPageSchema = derived(HistoryPage)
StoredConversationSchema = derived(StoredConversation)
SnippetPartSchema = derived(SnippetPart, sparse=frozenset({"match"}))
MessageMatchSchema = derived(MessageMatch)
SessionMatchSchema = derived(SessionMatch, sparse=frozenset({"archived"}))
SearchPageSchema = derived(SearchPage)
OptionSchema = derived(Option, hidden=frozenset({"data"}))
TextInputSchema = derived(TextInput)
QuestionOptionSchema = derived(QuestionOption)
QuestionSchema = derived(Question, sparse=frozenset({"secret", "notes"}))
PositionSchema = derived(Position)
ResponseSchema = derived(Response, sparse=frozenset({"answers", "notes"}))
ResolutionSchema = derived(Resolution, sparse=frozenset({"deviceId"}))
RuleSchema = derived(Rule, sparse=frozenset({"commands", "files"}))
GuardRailSchema = derived(
    GuardRail, sparse=frozenset({"programs", "words", "arguments", "paths", "risks"})
)
RuleBookSchema = derived(RuleBook)
JudgementSchema = derived(Judgement)
RuleOfferSchema = derived(RuleOffer)
ExplanationSchema = derived(Explanation)
TriedPromptSchema = derived(TriedPrompt)
RuleTrialSchema = derived(RuleTrial)


class DeviceSchema(DerivedSchema):
    """The holder of a token."""

    makes: ClassVar[type] = Device
    hidden = frozenset({"digest"})


class AdapterInfoSchema(DerivedSchema):
    """The identity of an adapter."""

    makes: ClassVar[type] = AdapterInfo


class AdapterStatusSchema(AdapterInfoSchema):
    """An adapter's info, with whether its CLI is installed, in one flat object."""

    makes = AdapterStatus
    flat = "info"
    sparse = frozenset({"elsewhere"})


class MachineSchema(DerivedSchema):
    """The machine that a session runs on."""

    makes: ClassVar[type] = Machine
    sparse = frozenset({"here"})


class MachineStatusSchema(MachineSchema):
    """A machine, with what runs and waits there, in one flat object."""

    makes = MachineStatus
    flat = "machine"


class ScreenSchema(DerivedSchema):
    """A pane's screen: `text` to read, `captured` the rows with their escape sequences."""

    makes: ClassVar[type] = Screen
    text = Text(dump_only=True)


class PromptFormSchema(DerivedSchema):
    """A question; `input` is `toolInput` as JSON text."""

    makes: ClassVar[type] = PromptForm
    sparse = frozenset({"truncated", "expandable", "options", "moreOptions", "questions"})
    hidden = frozenset(
        {
            "subject",
            "dialog",
            "dismiss",
            "top",
            "takes_reason",
            "provisional",
            "rewrapped",
            "unanswered",
            "answer_traces",
            "above",
        }
    )
    kind = fields.Enum(Kind, by_value=Text(), required=True, data_key="type")
    input = JsonText(attribute="tool_input")


class PromptSchema(PromptFormSchema):
    """A prompt: its form, id and state in one flat object."""

    makes = Prompt
    flat = "form"
    once = True

    def shown(self, value: Prompt) -> Prompt:
        """Return the prompt without answers to secret questions."""
        return redacted(value)


class AskedPromptSchema(PromptSchema):
    """A prompt for its asker, with the answers to its secret questions."""

    once = False

    def shown(self, value: Prompt) -> Prompt:
        """Return the prompt as it is."""
        return value


class KeptPromptSchema(PromptSchema):
    """A prompt for the journal, with what only its adapter reads."""

    once = False
    options = fields.List(fields.Nested(derived(Option)))
    subject = Text()
    dialog = Text()
    dismiss = Text()
    top = fields.Integer(strict=True)
    takes_reason = fields.Boolean()
    provisional = fields.Boolean()
    rewrapped = fields.Boolean()
    unanswered = fields.List(fields.Integer(strict=True))
    answer_traces = fields.List(Text())
    above = Text()


class AnsweredSchema(ValueSchema):
    """The reply to a delivered answer; dumped from the prompt."""

    makes = Prompt
    ok = fields.Constant(True, dump_only=True)
    request_id = Text()
    state = fields.Enum(PromptState, by_value=Text())
    resolution = wire_field(Resolution)

    @pre_dump
    def _redact(self, prompt: Prompt, **_: Any) -> Prompt:
        return redacted(prompt)


class ErrorSchema(Schema):
    """An error: a sentence, a code, and details where they help."""

    error = Text(required=True)
    code = Text(required=True)
    details = fields.Dict(keys=Text())


class HealthSchema(Schema):
    """The server is up."""

    ok = fields.Boolean(required=True)
    version = Text(required=True)


# Of several forms of a value the first is the usual one.
FORMS.update(
    {
        form.makes: form
        for form in reversed(list(vars().values()))
        if isinstance(form, type) and issubclass(form, DerivedSchema) and form is not DerivedSchema
    }
)


def redacted(prompt: Prompt) -> Prompt:
    """Return the prompt without answers to secret questions."""
    resolution = prompt.resolution
    if resolution is None or resolution.response is None:
        return prompt
    response = without_secret_answers(prompt.form, resolution.response)
    return replace(prompt, resolution=replace(resolution, response=response))
