"""Permission requests: commands, terminal input, network access, edits, permissions, plans."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from clawtap_codex.protocol.requests import Choice, ServerRequest, reply_by_option, to_options
from clawtap_codex.screen.plans import PLAN_TITLE
from clawtap_core import Effect, Kind, PromptForm
from clawtap_core.protocol_io.json_values import mapping, objects_in, text

RUN = "Would you like to run the following command?"
EDIT = "Would you like to make the following edits?"
GRANT = "Would you like to grant these permissions?"
SEND = "Would you like to send input to this terminal?"
_NO = "No, and tell Codex what to do differently"
_SHELLS = ("bash", "sh", "zsh")
_PLAIN: dict[str, tuple[str, Effect]] = {
    "accept": ("Yes, proceed", Effect.ALLOW_ONCE),
    "acceptForSession": (
        "Yes, and don't ask again for this command in this session",
        Effect.ALLOW_ALWAYS,
    ),
    "decline": ("No, continue without running it", Effect.DENY),
    "cancel": (_NO, Effect.DENY),
}
_NETWORK: dict[str, tuple[str, Effect]] = {
    "accept": ("Yes, just this once", Effect.ALLOW_ONCE),
    "acceptForSession": (
        "Yes, and allow this host for this conversation",
        Effect.ALLOW_ALWAYS,
    ),
}
_EDITS = (
    Choice("Yes, proceed", Effect.ALLOW_ONCE, {"decision": "accept"}),
    Choice(
        "Yes, and don't ask again for these files",
        Effect.ALLOW_ALWAYS,
        {"decision": "acceptForSession"},
    ),
    Choice(_NO, Effect.DENY, {"decision": "cancel"}),
)
PLAN_APPROVAL_MESSAGE = "Implement the plan."

_PLAN_CHOICES = (
    Choice("Yes, implement this plan", Effect.ALLOW_ONCE, {}),
    Choice("No, stay in Plan mode", Effect.DENY, {}),
)
_PLAN_OPTIONS = to_options(_PLAN_CHOICES)
PLAN_APPROVED = _PLAN_OPTIONS[0].value


def command(params: Mapping[str, Any], item: Mapping[str, Any]) -> ServerRequest:
    """Build the prompt for a command, for terminal input or for network access."""
    line = strip_shell(text(params, "command"))
    host = mapping(params.get("networkApprovalContext"))
    choices = _decisions(params, bool(host))
    title, tool, tool_input = _called(params, item, line, host)
    if rules := _rules(mapping(params.get("additionalPermissions"))):
        tool_input = {**tool_input, "permissions": rules}
    about = (_reason(params), f"Permission rule: {rules}" if rules else "", line)
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=title,
        description="\n".join(filter(None, about)),
        tool_name=tool,
        tool_input=tool_input,
        tool_call_id=text(params, "approvalId") or text(params, "itemId") or None,
        options=to_options(choices),
    )
    return ServerRequest(form, reply_by_option(choices))


def _called(
    params: Mapping[str, Any], item: Mapping[str, Any], line: str, host: Mapping[str, Any]
) -> tuple[str, str | None, dict[str, str]]:
    """Return the title, the tool and its input."""
    if host:
        # As on the screen, it is about a host: who allows a command does not allow it any host.
        title = f'Do you want to approve network access to "{host.get("host")}"?'
        return title, None, {k: v for k, v in host.items() if isinstance(v, str)}
    if params.get("kind") == "writeStdin":
        return SEND, "write_stdin", {"input": line}
    folder = text(params, "cwd") or text(item, "cwd")
    return RUN, "exec_command", {"command": line, **({"cwd": folder} if folder else {})}


def edits(params: Mapping[str, Any], item: Mapping[str, Any]) -> ServerRequest:
    """Build the prompt for a patch; its diff is in the item, not in the request."""
    changes = objects_in(item, "changes")
    diff = "\n".join(f"{text(each, 'path')}\n{text(each, 'diff')}".rstrip() for each in changes)
    root = text(params, "grantRoot")
    asks = f"Allow writes below {root} for this session." if root else ""
    granted = {"permissions": f"write below {root}"} if root else {}
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=EDIT,
        description="\n".join(filter(None, (_reason(params), asks, diff))),
        tool_name="apply_patch",
        tool_input={"changes": changes, **granted} if changes else None,
        tool_call_id=text(params, "itemId") or None,
        options=to_options(_EDITS),
    )
    return ServerRequest(form, reply_by_option(_EDITS))


def permissions(params: Mapping[str, Any], item: Mapping[str, Any]) -> ServerRequest:
    """Build the prompt for more permissions, for this turn or the session."""
    requested = mapping(params.get("permissions"))
    yes, always = Effect.ALLOW_ONCE, Effect.ALLOW_ALWAYS
    choices = (
        Choice("Yes, grant these permissions for this turn", yes, _granted(requested, "turn")),
        Choice(
            "Yes, grant these permissions for this session", always, _granted(requested, "session")
        ),
        Choice("No, continue without permissions", Effect.DENY, _granted({}, "turn")),
    )
    form = PromptForm(
        kind=Kind.PERMISSION,
        title=GRANT,
        description="\n".join(filter(None, (_reason(params), _rules(requested)))),
        tool_name="request_permissions",
        tool_input={"permissions": requested},
        tool_call_id=text(params, "itemId") or None,
        options=to_options(choices),
    )
    return ServerRequest(form, reply_by_option(choices))


def plan_form(plan: str) -> PromptForm:
    """Build the question that the TUI asks about a proposed plan."""
    return PromptForm(
        kind=Kind.PLAN, title=PLAN_TITLE, description=plan.strip("\n"), options=_PLAN_OPTIONS
    )


def strip_shell(line: str) -> str:
    """Return a command without the shell that the CLI wraps it in."""
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    runs = len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS
    return words[2] if runs and words[1] in ("-lc", "-c") else line


def _granted(requested: Mapping[str, Any], scope: str) -> dict[str, Any]:
    return {"permissions": requested, "scope": scope}


def _reason(params: Mapping[str, Any]) -> str:
    reason = text(params, "reason")
    return f"Reason: {reason}" if reason else ""


def _rules(requested: Mapping[str, Any]) -> str:
    files, network = mapping(requested.get("fileSystem")), mapping(requested.get("network"))
    rules = ["network"] if network.get("enabled") else []
    for access in ("read", "write"):
        paths = files.get(access)
        names = [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
        rules += [f"{access} {', '.join(f'`{path}`' for path in names)}"] if names else []
    return "; ".join(rules)


def _decisions(params: Mapping[str, Any], network: bool) -> list[Choice]:
    offered = params.get("availableDecisions")
    choices_by_decision = {**_PLAIN, **_NETWORK} if network else _PLAIN
    choices = [
        choice
        for decision in (offered if isinstance(offered, list) else ("accept", "cancel"))
        if (choice := _choice(decision, choices_by_decision))
    ]
    # The CLI accepts a refusal even where its list has none.
    if not any(choice.effect is Effect.DENY for choice in choices):
        choices.append(Choice(*_PLAIN["decline"], {"decision": "decline"}))
    return choices


def _choice(decision: Any, choices_by_decision: Mapping[str, tuple[str, Effect]]) -> Choice | None:
    if isinstance(decision, str):
        return (
            Choice(*choices_by_decision[decision], {"decision": decision})
            if decision in choices_by_decision
            else None
        )
    rule = mapping(mapping(decision).get("acceptWithExecpolicyAmendment"))
    if prefix := rule.get("execpolicy_amendment"):
        words = prefix if isinstance(prefix, list) else [prefix]
        line = shlex.join(map(str, words))
        label = f"Yes, and don't ask again for commands that start with `{line}`"
        return Choice(label, Effect.ALLOW_ALWAYS, {"decision": decision})
    host = mapping(mapping(decision).get("applyNetworkPolicyAmendment"))
    rule = mapping(host.get("network_policy_amendment"))
    if rule.get("action") == "allow":
        label = "Yes, and allow this host in the future"
        return Choice(label, Effect.ALLOW_ALWAYS, {"decision": decision})
    if rule:
        label = "No, and block this host in the future"
        return Choice(label, Effect.DENY, {"decision": decision})
    return None
