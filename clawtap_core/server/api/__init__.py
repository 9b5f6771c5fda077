"""The REST API: one blueprint for each resource."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flask import Flask
from flask_smorest import Api

from clawtap_core import __version__
from clawtap_core.schemas import ErrorSchema
from clawtap_core.schemas.event_forms import stream_event
from clawtap_core.server.api import (
    access,
    answers,
    controls,
    devices,
    events,
    history,
    hooks,
    inventory,
    journal,
    messages,
    meta,
    notices,
    prompts,
    rules,
    screens,
    search,
    sessions,
)
from clawtap_core.server.api.blueprint import Blueprint

_BLUEPRINTS = (
    meta.blueprint,
    inventory.blueprint,
    history.blueprint,
    search.blueprint,
    sessions.blueprint,
    messages.blueprint,
    answers.blueprint,
    prompts.blueprint,
    rules.blueprint,
    screens.blueprint,
    controls.blueprint,
    events.blueprint,
    journal.blueprint,
    access.blueprint,
    devices.blueprint,
    notices.blueprint,
    hooks.blueprint,
)


class _Api(Api):  # type: ignore[misc]
    """flask-smorest without its error handlers."""

    ERROR_SCHEMA = ErrorSchema

    def _register_error_handlers(self) -> None:
        pass  # server.errors handles every error


def install(app: Flask) -> None:
    """Add every route of the API."""
    app.extensions[meta.DESCRIBE] = lambda: describe(
        tuple(
            blueprint for blueprint in app.blueprints.values() if isinstance(blueprint, Blueprint)
        )
    )
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)


@lru_cache(maxsize=4)
def describe(blueprints: tuple[Blueprint, ...] = _BLUEPRINTS) -> dict[str, Any]:
    """Return the API as OpenAPI, built on first request."""
    app = Flask("openapi")
    app.config.update(API_TITLE="ClawTap", API_VERSION=__version__, OPENAPI_VERSION="3.0.3")
    api = _Api(app)
    api.spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    api.spec.options["security"] = [{"token": []}]
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    reference = api.ma_plugin.converter.resolve_nested_schema
    api.spec.components.schema("StreamEvent", stream_event(reference))
    described: dict[str, Any] = api.spec.to_dict()
    return described
