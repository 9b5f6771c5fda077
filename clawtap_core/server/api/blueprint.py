"""What every resource's blueprint shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, ClassVar, TypeVar

from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields

from clawtap_core.server.request_input import InputParser

OK: dict[str, Any] = {"ok": True}
Form = Schema | type[Schema] | Mapping[str, Any]
View = TypeVar("View", bound=Callable[..., Any])


class Blueprint(SmorestBlueprint):  # type: ignore[misc]
    """The routes of one resource. Input errors are 400, in our form."""

    ARGUMENTS_PARSER: ClassVar[InputParser] = InputParser()

    def __init__(self, name: str, module: str, description: str, prefix: str = "/api") -> None:
        super().__init__(name, module, url_prefix=prefix, description=description)

    def serve(
        self,
        method: str,
        rule: str,
        *,
        gives: Form,
        status: int = 200,
        also: int | None = None,
        takes: type[Schema] | None = None,
        query: type[Schema] | None = None,
        content_type: str | None = None,
        **described: Any,
    ) -> Callable[[View], View]:
        """Serve a view: what `takes` or `query` reads is its first argument.

        What it returns is dumped by `gives`; `also` is another status that it may return.
        """

        wrappers = [self.response(status, gives, content_type=content_type)]
        wrappers += [self.alt_response(also, schema=gives, success=True)] if also else []
        wrappers += [self.arguments(takes)] if takes else []
        wrappers += [self.arguments(query, location="query")] if query else []
        wrappers += [self.doc(**described)] if described else []
        wrappers += [self.route(rule, methods=[method])]

        def decorate(view: View) -> View:
            reduce(lambda served, wrap: wrap(served), wrappers, view)
            return view

        return decorate


class OkSchema(Schema):
    """It was done."""

    ok = fields.Boolean(required=True)
