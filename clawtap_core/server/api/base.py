"""What every resource's blueprint shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from flask_smorest import Blueprint as SmorestBlueprint
from marshmallow import Schema, fields

from clawtap_core.server.body import InputParser

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
        """Serve a view: its body or query is read by a schema and comes as its first argument.

        What it returns is dumped by `gives`; `also` is the other status it may return.
        `described` is added to the route's description.
        """

        def decorate(view: View) -> View:
            served = self.response(status, gives, content_type=content_type)(view)
            if also:
                served = self.alt_response(also, schema=gives, success=True)(served)
            if takes:
                served = self.arguments(takes)(served)
            if query:
                served = self.arguments(query, location="query")(served)
            if described:
                served = self.doc(**described)(served)
            self.route(rule, methods=[method])(served)
            return view

        return decorate


class OkSchema(Schema):
    """It was done."""

    ok = fields.Boolean(required=True)
