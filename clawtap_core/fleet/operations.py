"""The operations that one machine may ask of another: methods of Transport, as JSON.

The annotations of Transport define how arguments and results are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from inspect import signature
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from clawtap_core.errors import BadRequest, ClawTapError, ErrorCode, NotSupported, error_class
from clawtap_core.schemas import AskedPromptSchema, dump, load
from clawtap_core.transport import Transport

# These only read, so a missing reply leaves no doubt about what was done.
READS = frozenset(
    (
        *("messages", "prompt", "wait", "screen", "desk_typed_at"),
        *("adapters", "plugins", "panes", "folders"),
        *("history", "stored", "search", "journal", "latest_events"),
        *("rules", "try_rules", "explain"),
    )
)
# These only change what their machine stores: none of them types, or waits for a CLI.
RECORDS = frozenset(
    (
        *("ask", "extend", "withdraw", "rename", "archive"),
        *("edit_queued", "take_back", "resume_later", "dismiss_limit"),
        *("remove_rule", "check_cli"),
    )
)
OPERATIONS = READS | frozenset(
    (
        *("ask", "respond", "expand", "extend", "withdraw"),
        *("message", "edit_queued", "take_back"),
        *("rename", "archive", "end", "resume"),
        *("keys", "interrupt", "permission_mode", "model"),
        *("resume_later", "dismiss_limit"),
        *("start", "adopt", "restore", "check_cli"),
        *("add_rules", "remove_rule"),
    )
)


def encode_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as JSON."""
    return {name: _encoded(value) for name, value in arguments.items()}


def perform(transport: Transport, operation: str, arguments: Any, version: str) -> Any:
    """Carry out a call and return its result as JSON; raise ClawTapError."""
    if operation not in OPERATIONS or _has_newer(operation, arguments):
        raise NotSupported(
            f"the other machine runs ClawTap {version}, which cannot do this",
            code=ErrorCode.UNKNOWN_OPERATION,
            details={"version": version},
        )
    decoded = _decoded(operation, arguments)
    result = getattr(transport, operation)(**decoded)
    # The program that asked also gets a secret answer.
    return AskedPromptSchema().dump(result) if operation == "wait" else _encoded(result)


def decode_result(operation: str, result: Any) -> Any:
    """Return the result of a call as the value that the method returns."""
    return _decoded_value(_hints(operation)["return"], result)


def encode_error(error: ClawTapError) -> dict[str, Any]:
    """Return an error as JSON."""
    return {
        "error": error.message,
        "code": error.code,
        "status": error.status,
        "details": error.details,
    }


def decode_error(fields: Mapping[str, Any]) -> ClawTapError:
    """Return the error that another machine raised."""
    details = fields.get("details")
    return error_class(int(fields["status"]))(
        str(fields["error"]),
        code=str(fields["code"]),
        details=details if isinstance(details, Mapping) else None,
    )


def _has_newer(operation: str, arguments: Any) -> bool:
    """Return whether a newer version gave an argument that this one does not know."""
    known = signature(getattr(Transport, operation)).parameters
    return isinstance(arguments, Mapping) and not arguments.keys() <= known.keys()


def _decoded(operation: str, arguments: Any) -> dict[str, Any]:
    hints = _hints(operation)
    try:
        signature(getattr(Transport, operation)).bind(None, **arguments)
        return {name: _decoded_value(hints[name], value) for name, value in arguments.items()}
    except (TypeError, msgspec.ValidationError) as error:
        raise BadRequest(f"the call {operation} has unsound arguments: {error}") from error


def _encoded(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_encoded(each) for each in value]
    return dump(value) if is_dataclass(value) else value


def _decoded_value(kind: Any, value: Any) -> Any:
    """Return a value of this type; raise BadRequest or ValidationError for anything else."""
    if get_origin(kind) is Sequence:
        (element,) = get_args(kind)
        return [_decoded_value(element, each) for each in msgspec.convert(value, list)]
    return (
        load(kind, value)
        if isinstance(kind, type) and is_dataclass(kind)
        else msgspec.convert(value, kind)
    )


@cache
def _hints(operation: str) -> dict[str, Any]:
    return get_type_hints(getattr(Transport, operation))
