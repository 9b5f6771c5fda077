"""The blueprint that every resource of the API uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce, wraps
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar, cast

from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields

from clawtap_core.schemas import BodySchema
from clawtap_core.server.request_input import InputParser

OK: dict[str, Any] = {"ok": True}
# Any route refuses unknown fields, and the server addresses that are too long.
_EVERYWHERE = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_URI_TOO_LONG)
Form = Schema | type[Schema] | Mapping[str, Any]
View = TypeVar("View", bound=Callable[..., Any])


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """The routes of one resource; invalid input is a 400."""

    ARGUMENTS_PARSER: ClassVar[InputParser] = InputParser()

    def __init__(self, name: str, module: str, description: str, prefix: str = "/api") -> None:
        super().__init__(name, module, url_prefix=prefix, description=description)

    def route(
        self,
        method: str,
        rule: str,
        *,
        response: Form,
        status: int = 200,
        alt_status: int | None = None,
        body: type[Schema] | None = None,
        query: type[Schema] | None = None,
        content_type: str | None = None,
        **doc: Any,
    ) -> Callable[[View], View]:
        """Register a view, whose first argument is its parsed `body` or `query`.

        Its result is dumped by `response`, with `status` or the `alt_status` it returns. A view
        that reads the body by itself documents it as `requestBody`.
        """
        wrappers = [self.response(status, response, content_type=content_type)]
        if getattr(response, "many", False):
            wrappers.insert(0, _as_list)
        if alt_status:
            described = None if alt_status == HTTPStatus.NO_CONTENT else response
            wrappers.append(self.alt_response(alt_status, schema=described, success=True))
        wrappers += [self.alt_response(error, error.name) for error in _EVERYWHERE]
        if body:
            wrappers.append(self.arguments(body))
        if query:
            wrappers.append(self.arguments(query, location="query"))
        unread = [] if query else ["query"]
        unread += [] if body or "requestBody" in doc else ["json"]
        wrappers.append(partial(_refuse_input, locations=unread))
        if doc:
            wrappers.append(self.doc(**doc))
        wrappers.append(super().route(rule, methods=[method]))

        def decorate(view: View) -> View:
            reduce(lambda wrapped, wrap: wrap(wrapped), wrappers, view)
            return view

        return decorate


class _NothingSchema(BodySchema):
    """No field at all."""

    makes: ClassVar[type] = dict


def _refuse_input(view: View, *, locations: Sequence[str]) -> View:
    """Return the view, which refuses input that it would never read: the sender expects more."""

    @wraps(view)
    def checked(*arguments: Any, **values: Any) -> Any:
        for location in locations:
            Blueprint.ARGUMENTS_PARSER.parse(_NothingSchema, location=location)
        return view(*arguments, **values)

    return cast("View", checked)


def _as_list(view: View) -> Callable[..., list[Any]]:
    """Return the view with a list: Flask takes a tuple for a body with its status."""

    @wraps(view)
    def listing(*arguments: Any, **values: Any) -> list[Any]:
        return list(view(*arguments, **values))

    return listing


class OkSchema(Schema):
    """Success."""

    ok = fields.Boolean(required=True)
