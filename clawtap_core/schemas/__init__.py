"""The wire format: the only place that knows how values look as JSON.

`dump` and `load` go between values and wire forms; the schemas themselves describe the API.
"""

from clawtap_core.schemas.adapter import (
    AdapterInfoSchema,
    AdapterStatusSchema,
    BrandSchema,
    CapabilitiesSchema,
    ChoiceSchema,
    PluginStatusSchema,
)
from clawtap_core.schemas.answering import (
    AnswersBodySchema,
    ApproveBodySchema,
    DenyBodySchema,
    ExpandBodySchema,
    RespondBodySchema,
)
from clawtap_core.schemas.base import BodySchema, ValueSchema
from clawtap_core.schemas.bodies import (
    DeviceBodySchema,
    KeysBodySchema,
    LoginBodySchema,
    MessageBodySchema,
    ModeBodySchema,
    ModelBodySchema,
    PageQuerySchema,
    RenameBodySchema,
    StartBodySchema,
)
from clawtap_core.schemas.prompt import (
    AnsweredSchema,
    OptionSchema,
    PositionSchema,
    PromptFormSchema,
    PromptSchema,
    QuestionOptionSchema,
    QuestionSchema,
    ResolutionSchema,
    ResponseSchema,
    TextInputSchema,
)
from clawtap_core.schemas.refusal import refusal
from clawtap_core.schemas.registry import (
    dump,
    dump_kept,
    load,
    load_kept,
    read_body,
    schema_of,
)
from clawtap_core.schemas.replies import ErrorSchema, HealthSchema
from clawtap_core.schemas.requested import Adoption, KeyPad, Login, PageQuery
from clawtap_core.schemas.session import (
    FolderSchema,
    LaunchRequestSchema,
    PaneInfoSchema,
    QueuedMessageSchema,
    SentSchema,
    SessionSchema,
)
from clawtap_core.schemas.stream import (
    BlockSchema,
    EventSchema,
    JournalPageSchema,
    MessageSchema,
    ScreenSchema,
    SnapshotSchema,
)

__all__ = [
    "AdapterInfoSchema",
    "AdapterStatusSchema",
    "Adoption",
    "AnsweredSchema",
    "AnswersBodySchema",
    "ApproveBodySchema",
    "BlockSchema",
    "BodySchema",
    "BrandSchema",
    "CapabilitiesSchema",
    "ChoiceSchema",
    "DenyBodySchema",
    "DeviceBodySchema",
    "ErrorSchema",
    "EventSchema",
    "ExpandBodySchema",
    "FolderSchema",
    "HealthSchema",
    "JournalPageSchema",
    "KeyPad",
    "KeysBodySchema",
    "LaunchRequestSchema",
    "Login",
    "LoginBodySchema",
    "MessageBodySchema",
    "MessageSchema",
    "ModeBodySchema",
    "ModelBodySchema",
    "OptionSchema",
    "PageQuery",
    "PageQuerySchema",
    "PaneInfoSchema",
    "PluginStatusSchema",
    "PositionSchema",
    "PromptFormSchema",
    "PromptSchema",
    "QuestionOptionSchema",
    "QuestionSchema",
    "QueuedMessageSchema",
    "RenameBodySchema",
    "ResolutionSchema",
    "RespondBodySchema",
    "ResponseSchema",
    "ScreenSchema",
    "SentSchema",
    "SessionSchema",
    "SnapshotSchema",
    "StartBodySchema",
    "TextInputSchema",
    "ValueSchema",
    "dump",
    "dump_kept",
    "load",
    "load_kept",
    "read_body",
    "refusal",
    "schema_of",
]
