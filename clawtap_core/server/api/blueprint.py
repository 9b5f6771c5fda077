"""The blueprint that every resource of the API uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce, wraps
from http import HTTPStatus
from typing import Any, ClassVar, TypeVar

from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields

from clawtap_core.server.request_input import InputParser

OK: dict[str, Any] = {"ok": True}
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

        Its result is dumped by `response`, with `status` or the `alt_status` it returns.
        """
        wrappers = [self.response(status, response, content_type=content_type)]
        if getattr(response, "many", False):
            wrappers.insert(0, _as_list)
        if alt_status:
            described = None if alt_status == HTTPStatus.NO_CONTENT else response
            wrappers.append(self.alt_response(alt_status, schema=described, success=True))
        if body:
            wrappers.append(self.arguments(body))
        if query:
            wrappers.append(self.arguments(query, location="query"))
        if doc:
            wrappers.append(self.doc(**doc))
        wrappers.append(super().route(rule, methods=[method]))

        def decorate(view: View) -> View:
            reduce(lambda wrapped, wrap: wrap(wrapped), wrappers, view)
            return view

        return decorate


def _as_list(view: View) -> Callable[..., list[Any]]:
    """Return the view with a list: Flask takes a tuple for a body with its status."""

    @wraps(view)
    def listing(*arguments: Any, **values: Any) -> list[Any]:
        return list(view(*arguments, **values))

    return listing


class OkSchema(Schema):
    """Success."""

    ok = fields.Boolean(required=True)
