"""The errors that users see, each with a code and an HTTP status.

ClawTapError
├── BadRequest 400      malformed or incomplete input
├── Unauthorized 401
├── Forbidden 403
├── NotFound 404
├── Conflict 409        already answered, prompt or screen changed
├── TooLarge 413
├── Impossible 422      this adapter or CLI cannot do it
├── TooManyRequests 429
├── NotSupported 501    another machine's version lacks the operation
├── NotConfirmed 502    a key was sent, but its outcome was not seen
├── Unavailable 503     tmux missing or too old, CLI not reachable
└── UsageError          wrong settings or flags; the command line exits with 2
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar


class ErrorCode(str, Enum):
    """What went wrong, for programs; docs/api.md explains each."""

    # 401 and 403: who is asking
    UNAUTHORIZED = "unauthorized"
    UNKNOWN_TOKEN = "unknown_token"  # noqa: S105 - a code, no password
    WRONG_CODE = "wrong_code"
    FORBIDDEN = "forbidden"
    HOST_NOT_ALLOWED = "host_not_allowed"
    ORIGIN_NOT_ALLOWED = "origin_not_allowed"
    ROLE_NEEDED = "role_needed"

    # Requests
    BAD_REQUEST = "bad_request"
    NOT_JSON = "not_json"
    BAD_JSON = "bad_json"
    BAD_TEXT = "bad_text"
    TOO_DEEP = "too_deep"
    TOO_LARGE = "too_large"
    NO_SUCH_ROUTE = "no_such_route"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    TOO_MANY_REQUESTS = "too_many_requests"
    INTERNAL_ERROR = "internal_error"

    # Sessions
    NOT_FOUND = "not_found"
    SESSION_NOT_FOUND = "session_not_found"
    SESSION_STARTING = "session_starting"
    SESSION_BUSY = "session_busy"
    SESSION_ENDED = "session_ended"
    BAD_TITLE = "bad_title"
    NO_SUCH_FOLDER = "no_such_folder"
    NO_LAUNCH = "no_launch"
    NO_RESUME = "no_resume"
    NO_FOLDER = "no_folder"
    NO_SUCH_CHANNEL = "no_such_channel"
    CLI_NOT_INSTALLED = "cli_not_installed"
    UNKNOWN_ADAPTER = "unknown_adapter"
    UNKNOWN_PERMISSION_MODE = "unknown_permission_mode"
    UNKNOWN_EFFORT = "unknown_effort"
    BAD_MODEL = "bad_model"
    BAD_SIZE = "bad_size"

    # Panes and tmux
    PANE_NOT_FOUND = "pane_not_found"
    ALREADY_ADOPTED = "already_adopted"
    PANE_DEAD = "pane_dead"
    ADAPTER_REQUIRED = "adapter_required"
    NO_SCREEN = "no_screen"
    SCREEN_CHANGED = "screen_changed"
    CLI_NOT_THERE = "cli_not_there"
    KEYS_REQUIRED = "keys_required"
    TOO_MANY_KEYS = "too_many_keys"
    BAD_KEY = "bad_key"
    PANES_SYNCHRONIZED = "panes_synchronized"
    PANE_INPUT_OFF = "pane_input_off"
    TMUX_MISSING = "tmux_missing"
    TMUX_TOO_OLD = "tmux_too_old"
    TMUX_GONE = "tmux_gone"
    TMUX_REFUSED = "tmux_refused"
    TMUX_TIMEOUT = "tmux_timeout"

    # Prompts and answers
    PROMPT_NOT_FOUND = "prompt_not_found"
    PROMPT_CHANGED = "prompt_changed"
    PROMPT_ENDED = "prompt_ended"
    PROMPT_EXPIRED = "prompt_expired"
    PROMPT_CANCELLED = "prompt_cancelled"
    PROMPT_FAILED = "prompt_failed"
    PROMPT_ANSWERED_ELSEWHERE = "prompt_answered_elsewhere"
    UNKNOWN_PROMPT = "unknown_prompt"
    ALREADY_ANSWERED = "already_answered"
    ALREADY_ANSWERING = "already_answering"
    NOT_OFFERED = "not_offered"
    WRONG_KIND = "wrong_kind"
    DIFFERENT_TOOLS = "different_tools"
    RISK_NOT_SEEN = "risk_not_seen"
    ANSWER_REQUIRED = "answer_required"
    BAD_DECISION = "bad_decision"
    NO_SUCH_EFFECT = "no_such_effect"
    NO_SUCH_QUESTION = "no_such_question"
    CANNOT_ANSWER = "cannot_answer"
    NOT_CONFIRMED = "not_confirmed"
    NOT_DELIVERED = "not_delivered"
    NOT_EXPANDED = "not_expanded"

    # Prompts of other programs
    BAD_PROMPT = "bad_prompt"
    BAD_NAME = "bad_name"
    TOO_MANY_PROMPTS = "too_many_prompts"
    TOO_MANY_PROGRAMS = "too_many_programs"
    NOT_EXTERNAL = "not_external"
    PROMPT_NOT_SOUND = "prompt_not_sound"

    # Rules
    RULE_NOT_FOUND = "rule_not_found"
    RULE_EXISTS = "rule_exists"
    BAD_RULE = "bad_rule"
    BAD_RULES_FILE = "bad_rules_file"

    # Messages and files
    MESSAGE_REQUIRED = "message_required"
    MESSAGE_NOT_FOUND = "message_not_found"
    MESSAGE_SENDING = "message_sending"
    MESSAGE_NOT_TYPED = "message_not_typed"
    MESSAGE_NOT_CONFIRMED = "message_not_confirmed"
    MESSAGE_NOT_SENT = "message_not_sent"
    MESSAGE_REFUSED = "message_refused"
    NO_MESSAGES = "no_messages"
    NO_TERMINAL = "no_terminal"
    STORED_SESSION_NOT_FOUND = "stored_session_not_found"
    ATTACHMENT_NOT_FOUND = "attachment_not_found"
    ATTACHMENT_IN_USE = "attachment_in_use"
    ATTACHMENT_TOO_LARGE = "attachment_too_large"
    ATTACHMENTS_FULL = "attachments_full"
    NO_ATTACHMENTS = "no_attachments"
    NOT_KEPT = "not_kept"

    # What a CLI or an adapter does
    CONFLICT = "conflict"
    IMPOSSIBLE = "impossible"
    CANNOT_ACT = "cannot_act"
    CHECK_RUNNING = "check_running"
    NOT_NOW = "not_now"
    REFUSED_BY_CLI = "refused_by_cli"
    CLI_STUCK = "cli_stuck"
    HOOK_FAILED = "hook_failed"

    # CLI hooks
    NO_HOOKS = "no_hooks"
    TOO_MANY_HOOKS = "too_many_hooks"
    SETTINGS_BUSY = "settings_busy"
    SETTINGS_CONFLICT = "settings_conflict"
    SETTINGS_NOT_WRITABLE = "settings_not_writable"
    SETTINGS_UNREADABLE = "settings_unreadable"
    RECORD_DAMAGED = "record_damaged"

    # Devices and push
    DEVICE_NOT_FOUND = "device_not_found"
    INVITATION_NOT_FOUND = "invitation_not_found"
    TOO_MANY_INVITATIONS = "too_many_invitations"
    OWNER_TOKEN = "owner_token"  # noqa: S105 - a code, no password
    TOO_MANY_LOGINS = "too_many_logins"
    PUSH_MISSING = "push_missing"
    PUSH_KEY = "push_key"
    SUBSCRIPTION_NOT_FOUND = "subscription_not_found"
    ANSWER_UNKNOWN = "answer_unknown"
    ANSWER_FOREIGN = "answer_foreign"
    ANSWER_USED = "answer_used"
    ANSWER_EXPIRED = "answer_expired"

    # Starting the server
    UNAVAILABLE = "unavailable"
    USAGE = "usage"
    BAD_SETTING = "bad_setting"
    UNKNOWN_SETTING = "unknown_setting"
    BAD_CONFIG_FILE = "bad_config_file"
    UNKNOWN_PLUGIN = "unknown_plugin"
    INSECURE_HOST = "insecure_host"
    TLS_NEEDED = "tls_needed"
    TLS_FILE = "tls_file"
    TLS_PAIR = "tls_pair"
    BAD_CERTIFICATE = "bad_certificate"
    PORT_IN_USE = "port_in_use"
    CANNOT_LISTEN = "cannot_listen"
    OUTPUT_FAILED = "output_failed"
    TOKEN_FILE = "token_file"  # noqa: S105 - a code, no password
    DEVICES_DAMAGED = "devices_damaged"
    DATA_DIR_IN_USE = "data_dir_in_use"
    DATA_DIR_NOT_PRIVATE = "data_dir_not_private"
    DATA_DIR_NOT_WRITABLE = "data_dir_not_writable"
    JOURNAL_CLOSED = "journal_closed"
    JOURNAL_DAMAGED = "journal_damaged"
    JOURNAL_FAILED = "journal_failed"
    JOURNAL_TOO_NEW = "journal_too_new"

    # Several machines
    MACHINE_AWAY = "machine_away"
    CALL_TOO_LATE = "call_too_late"
    CALL_NOT_CONFIRMED = "call_not_confirmed"
    UNKNOWN_OPERATION = "unknown_operation"
    OTHER_MACHINE = "other_machine"
    MACHINE_NOT_FOUND = "machine_not_found"
    MACHINE_AMBIGUOUS = "machine_ambiguous"
    ON_A_HUB = "on_a_hub"
    NO_FLEET = "no_fleet"
    FLEET_EXISTS = "fleet_exists"
    FLEET_KEY = "fleet_key"
    FLEET_KEY_WRONG = "fleet_key_wrong"
    FLEET_KEY_OLD = "fleet_key_old"
    REDIS_MISSING = "redis_missing"
    REDIS_UNREACHABLE = "redis_unreachable"
    REDIS_REFUSED = "redis_refused"
    REDIS_NOT_ALLOWED = "redis_not_allowed"
    REDIS_TOO_OLD = "redis_too_old"
    REDIS_FULL = "redis_full"
    REDIS_WRONG_TYPE = "redis_wrong_type"
    REDIS_REFUSES = "redis_refuses"
    REDIS_EVICTS = "redis_evicts"
    REDIS_CLUSTER = "redis_cluster"
    MACHINE_TWICE = "machine_twice"

    # The command line and HttpTransport
    SERVER_UNREACHABLE = "server_unreachable"
    NOT_CLAWTAP = "not_clawtap"
    NO_SERVER = "no_server"
    NO_TOKEN = "no_token"  # noqa: S105 - a code, no password
    NO_DEMO = "no_demo"
    SERVICE_REFUSED = "service_refused"
    INSTALL_FAILED = "install_failed"
    NOTHING_PENDING = "nothing_pending"
    SEVERAL_PENDING = "several_pending"
    AMBIGUOUS_ID = "ambiguous_id"
    NO_FILE = "no_file"
    NO_PROMPT = "no_prompt"
    BAD_RECORDING = "bad_recording"

    __str__ = str.__str__


class ClawTapError(Exception):
    """An error explained to the user by a sentence, a code and details."""

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = ErrorCode.INTERNAL_ERROR

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        # Plugins may add codes, and another server may have newer ones.
        self.code = str(code or self.default_code)
        self.details = dict(details) if details else None


class BadRequest(ClawTapError):
    """The input is malformed or incomplete."""

    status = 400
    default_code = ErrorCode.BAD_REQUEST


class Unauthorized(ClawTapError):
    """The token is missing or unknown."""

    status = 401
    default_code = ErrorCode.UNAUTHORIZED


class Forbidden(ClawTapError):
    """The request comes from a host or origin that is not allowed."""

    status = 403
    default_code = ErrorCode.FORBIDDEN


class NotFound(ClawTapError):
    """No such session, prompt, pane or message."""

    status = 404
    default_code = ErrorCode.NOT_FOUND


class Conflict(ClawTapError):
    """Something happened first: another answer, a changed prompt, a changed screen."""

    status = 409
    default_code = ErrorCode.CONFLICT


class TooLarge(ClawTapError):
    """The request body is too large."""

    status = 413
    default_code = ErrorCode.TOO_LARGE


class Impossible(ClawTapError):
    """The request is valid, but this adapter or CLI cannot do it."""

    status = 422
    default_code = ErrorCode.IMPOSSIBLE


class TooManyRequests(ClawTapError):
    """There were too many attempts in a short time."""

    status = 429
    default_code = ErrorCode.TOO_MANY_REQUESTS


class NotSupported(ClawTapError):
    """Another machine runs a version without this operation."""

    status = 501
    default_code = ErrorCode.UNKNOWN_OPERATION


class NotConfirmed(ClawTapError):
    """A deciding key was, or may have been, sent, and its outcome was not seen in time."""

    status = 502
    default_code = ErrorCode.NOT_CONFIRMED


class Unavailable(ClawTapError):
    """Something that ClawTap needs is missing: tmux, its server, the data folder."""

    status = 503
    default_code = ErrorCode.UNAVAILABLE


class UsageError(ClawTapError):
    """Settings or flags are invalid, which is reported at the start."""

    status = 400
    default_code = ErrorCode.USAGE


_BY_STATUS: Mapping[int, type[ClawTapError]] = {
    kind.status: kind
    for kind in (
        BadRequest,
        Unauthorized,
        Forbidden,
        NotFound,
        Conflict,
        TooLarge,
        Impossible,
        TooManyRequests,
        NotSupported,
        NotConfirmed,
        Unavailable,
    )
}


def error_class(status: int) -> type[ClawTapError]:
    """Return the class of errors with this status."""
    return _BY_STATUS.get(status, ClawTapError)


def attachment_too_large(limit: int) -> TooLarge:
    """Return the error for a file above `limit` bytes."""
    return TooLarge(
        f"a file may have {limit // 1024 // 1024} MB at most", code=ErrorCode.ATTACHMENT_TOO_LARGE
    )


def message_not_found(message_id: str) -> NotFound:
    """Return the error for a message that is in no queue."""
    return NotFound(f"no such queued message: {message_id!r}", code=ErrorCode.MESSAGE_NOT_FOUND)
