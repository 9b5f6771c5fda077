"""The wire form of adapters and plugins."""

from __future__ import annotations

from dataclasses import fields as names_of
from typing import Any, ClassVar

from marshmallow import fields, validate

from clawtap_core.model import AdapterInfo, AdapterStatus, Brand, Capabilities, Choice, PluginStatus
from clawtap_core.schemas.base import ValueSchema
from clawtap_core.schemas.fields import Text

_INFO = frozenset(field.name for field in names_of(AdapterInfo))


class BrandSchema(ValueSchema):
    """How the CLI is shown."""

    makes = Brand
    color = Text()
    color_bg = Text()
    gradient = fields.List(Text(), validate=validate.Length(equal=2))
    glow = Text()
    icon_type = Text()
    icon = Text()
    ansi = Text()


class CapabilitiesSchema(ValueSchema):
    """What the adapter can do with its CLI."""

    makes = Capabilities
    plan_mode = fields.Boolean()
    permission_modes = fields.Boolean()
    interrupt = fields.Boolean()
    resume = fields.Boolean()
    attach = fields.Boolean()
    status_line = fields.Boolean()
    images = fields.Boolean()
    streaming = fields.Boolean()
    refusal_reason = fields.Boolean()
    max_context_window = fields.Integer(strict=True)
    permission_mode_type = Text()
    channels = fields.List(Text())
    unanswerable = fields.List(Text())


class ChoiceSchema(ValueSchema):
    """A model, permission mode, effort level or command."""

    makes = Choice
    sparse = frozenset({"description"})
    id = Text(required=True)
    label = Text(required=True)
    description = Text()


class AdapterInfoSchema(ValueSchema):
    """The identity of an adapter."""

    makes: ClassVar[type] = AdapterInfo
    id = Text(required=True)
    name = Text(required=True)
    provider = Text()
    brand = fields.Nested(BrandSchema)
    commands = fields.List(Text())
    version_argv = fields.List(Text())
    install = Text()
    file_mention = Text()
    capabilities = fields.Nested(CapabilitiesSchema)
    models = fields.List(fields.Nested(ChoiceSchema))
    permission_modes = fields.List(fields.Nested(ChoiceSchema))
    effort_levels = fields.List(fields.Nested(ChoiceSchema))
    slash_commands = fields.List(fields.Nested(ChoiceSchema))


class AdapterStatusSchema(AdapterInfoSchema):
    """An adapter's info, with whether its CLI is installed, in one flat object."""

    makes = AdapterStatus
    installed = fields.Boolean(required=True)
    version = Text()
    health = Text()

    def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
        """Read a field from the status or from its info."""
        return getattr(obj.info if attr in _INFO else obj, attr, default)

    def build(self, data: dict[str, Any]) -> AdapterStatus:
        """Build the status with its info."""
        info = {name: data.pop(name) for name in _INFO & data.keys()}
        return AdapterStatus(AdapterInfo(**info), **data)


class PluginStatusSchema(ValueSchema):
    """The state of a plugin."""

    makes = PluginStatus
    name = Text(required=True)
    status = Text(required=True)
    distribution = Text()
    version = Text()
    error = Text()
    hooks = fields.List(Text())
    adapter = Text()
