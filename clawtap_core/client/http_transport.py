"""A Transport over REST and SSE to a server elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from copy import copy
from typing import Any

import requests

from clawtap_core import errors
from clawtap_core import model as values
from clawtap_core.client.api_client import (
    ApiClient,
    adapter_path,
    history_path,
    prompt_path,
    rule_path,
    session_path,
)
from clawtap_core.client.event_stream import read_events
from clawtap_core.schemas import dump, load
from clawtap_core.transport import Shortcuts, always

_ACTIONS = {"approve": "Approve", "deny": "Deny"}


class HttpTransport(Shortcuts):
    """A `Transport` to the server at `url`. `verify` is passed to requests."""

    def __init__(self, url: str, token: str, *, verify: bool | str = True) -> None:
        self._api = ApiClient(url, token, verify)

    def adapters(self) -> Sequence[values.AdapterStatus]:
        """Return every adapter with its capabilities."""
        return self._api.list(values.AdapterStatus, "/adapters", "List adapters")

    def check_cli(self, adapter: str) -> values.LiveCheckStatus:
        """Start the live check of an adapter's CLI."""
        path = adapter_path(adapter, "check")
        return self._api.post(values.LiveCheckStatus, path, "Check CLI")

    def plugins(self) -> Sequence[values.PluginStatus]:
        """Return every plugin's health."""
        return self._api.list(values.PluginStatus, "/plugins", "List plugins")

    def panes(self) -> Sequence[values.PaneInfo]:
        """Return the panes that could be adopted."""
        return self._api.list(values.PaneInfo, "/panes", "List panes")

    def machines(self, *, measure: bool = False) -> Sequence[values.MachineStatus]:
        """Return the machines of the server's fleet."""
        query = {"measure": "true" if measure else None}
        return self._api.list(values.MachineStatus, "/machines", "List machines", query)

    def at(self, machine: str) -> HttpTransport:
        """Return the transport to one machine of the server's fleet."""
        there = copy(self)
        there._api = self._api.at(machine)
        return there

    def folders(self) -> Sequence[values.Folder]:
        """Return folders used before, newest first."""
        return self._api.list(values.Folder, "/folders", "List folders")

    def sessions(self) -> Sequence[values.Session]:
        """Return every session, newest activity first."""
        return self._api.list(values.Session, "/sessions", "List sessions")

    def session(self, session_id: str) -> values.Session:
        """Return a session."""
        return self._api.get(values.Session, session_path(session_id), "Read session")

    def start(self, request: values.LaunchRequest) -> values.Session:
        """Start a CLI in a pane of its own."""
        return self._api.post(values.Session, "/sessions", "Start session", dump(request))

    def restore(
        self, session_ids: Sequence[str] = (), *, dry_run: bool = False
    ) -> Sequence[values.Restoration]:
        """Restore the lost sessions, or some of them."""
        body = {"sessions": list(session_ids), "dryRun": dry_run}
        restored = self._api.call("POST", "/sessions/restore", "Restore sessions", body)
        return [load(values.Restoration, each) for each in restored["sessions"]]

    def adopt(self, pane: str, adapter: str | None = None) -> values.Session:
        """Watch a pane that a user started."""
        body = {"adopt": pane, **({"adapter": adapter} if adapter else {})}
        return self._api.post(values.Session, "/sessions", "Adopt pane", body)

    def rename(self, session_id: str, title: str) -> values.Session:
        """Rename a session."""
        body = {"title": title}
        return self._api.patch(values.Session, session_path(session_id), "Rename session", body)

    def archive(self, session_id: str, archived: bool = True) -> values.Session:
        """Take a session off the list, or put it back."""
        path, body = session_path(session_id), {"archived": archived}
        return self._api.patch(values.Session, path, "Archive session", body)

    def end(self, session_id: str) -> None:
        """End a launched session, or release an adopted one."""
        self._api.call("DELETE", session_path(session_id), "End session")

    def message(self, session_id: str, text: str, attachments: Sequence[str] = ()) -> values.Sent:
        """Send a message, or queue it."""
        files = {"attachments": list(attachments)} if attachments else {}
        path = session_path(session_id, "message")
        return self._api.post(values.Sent, path, "Send", {"message": text, **files})

    def attach(self, session_id: str, name: str, data: bytes) -> values.Attachment:
        """Store a file for a later message."""
        path = session_path(session_id, "files")
        return self._api.send(values.Attachment, path, "Attach file", data, {"name": name})

    def detach(self, session_id: str, attachment_id: str) -> None:
        """Delete a file that no queued message needs."""
        self._api.call("DELETE", session_path(session_id, "files", attachment_id), "Remove file")

    def messages(
        self,
        session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> values.MessagePage:
        """Return the last messages of the conversation, or those before or after an id."""
        query = {"before": before, "after": after, "limit": limit}
        path = session_path(session_id, "messages")
        return self._api.get(values.MessagePage, path, "Read messages", query)

    def history(
        self,
        *,
        adapter: str | None = None,
        cwd: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.HistoryPage:
        """Return the conversations that CLIs have stored, newest first."""
        query = {"adapter": adapter, "cwd": cwd, "cursor": cursor, "limit": limit}
        return self._api.get(values.HistoryPage, "/history/page", "List stored sessions", query)

    def stored(
        self,
        adapter: str,
        cli_session_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        around: str | None = None,
        limit: int = 50,
    ) -> values.StoredConversation:
        """Return a stored conversation with its last messages, or those at an id."""
        path = history_path(adapter, cli_session_id)
        query = {"before": before, "after": after, "around": around, "limit": limit}
        return self._api.get(values.StoredConversation, path, "Read stored session", query)

    def search(self, text: str, *, cursor: str | None = None, limit: int = 20) -> values.SearchPage:
        """Return what has these words."""
        query = {"q": text, "cursor": cursor, "limit": limit}
        return self._api.get(values.SearchPage, "/search", "Search", query)

    def queue(self, session_id: str) -> Sequence[values.QueuedMessage]:
        """Return the queued messages."""
        return self._api.list(values.QueuedMessage, session_path(session_id, "queue"), "Read queue")

    def edit_queued(self, session_id: str, message_id: str, text: str) -> values.QueuedMessage:
        """Change a queued message."""
        path = session_path(session_id, "queue", message_id)
        return self._api.patch(values.QueuedMessage, path, "Edit message", {"message": text})

    def take_back(self, session_id: str, message_id: str) -> None:
        """Remove a queued message."""
        self._api.call("DELETE", session_path(session_id, "queue", message_id), "Take message back")

    def pending(self, session_id: str | None = None) -> Sequence[values.Prompt]:
        """Return open prompts, oldest first."""
        path = "/pending" if session_id is None else session_path(session_id, "pending")
        return self._api.list(values.Prompt, path, "List prompts")

    def prompt(self, request_id: str) -> values.Prompt:
        """Return a prompt by its requestId or toolCallId, open or ended."""
        return self._api.get(values.Prompt, prompt_path(request_id), "Read prompt")

    def respond(self, session_id: str, response: values.Response) -> values.Prompt:
        """Deliver an answer and return the resolved prompt."""
        action = _ACTIONS.get(response.decision or "", "Respond")
        action = "Submit answers" if response.answers else action
        path = session_path(session_id, "respond")
        resolved = self._api.call("POST", path, action, dump(response))
        return self.prompt(resolved["requestId"])

    def ask(
        self,
        form: values.PromptForm,
        *,
        asker: str | None = None,
        seconds: float | None = None,
        default: str | None = None,
    ) -> values.Prompt:
        """Ask a question."""
        body = {**dump(form), "from": asker, "timeout": seconds, "default": default}
        body.pop("input", None)
        body = {name: value for name, value in body.items() if value is not None}
        return self._api.post(values.Prompt, "/prompts", "Ask", body)

    def wait(
        self, request_id: str, seconds: float, *, listening: Callable[[], bool] = always
    ) -> values.Prompt:
        """Return a prompt once it ends or after `seconds`; the server notices if we disconnect."""
        path, query = prompt_path(request_id), {"wait": seconds}
        return self._api.get(values.Prompt, path, "Wait for an answer", query, wait=seconds)

    def extend(self, request_id: str, seconds: float | None = None) -> values.Prompt:
        """Give a prompt more time."""
        body = {} if seconds is None else {"seconds": seconds}
        return self._api.post(values.Prompt, prompt_path(request_id, "extend"), "Extend", body)

    def withdraw(self, request_id: str) -> values.Prompt:
        """Cancel a program's prompt."""
        self._api.call("DELETE", prompt_path(request_id), "Withdraw prompt")
        return self.prompt(request_id)

    def expand(self, session_id: str, request_id: str) -> values.Prompt:
        """Read the options that a scrolling list hides."""
        body = {"requestId": request_id}
        return self._api.post(values.Prompt, session_path(session_id, "expand"), "Expand", body)

    def screen(self, session_id: str) -> values.Screen:
        """Return the screen of the session's pane."""
        return self._api.get(values.Screen, session_path(session_id, "screen"), "Read screen")

    def keys(
        self, session_id: str, revision: int, *, keys: Sequence[str] = (), text: str = ""
    ) -> values.Screen:
        """Press keys or type text if the screen is still at `revision`; return the new screen."""
        typed = {"keys": list(keys)} if keys else {"text": text}
        body = {**typed, "screenRev": revision}
        return self._api.post(values.Screen, session_path(session_id, "keys"), "Press keys", body)

    def desk_typed_at(self) -> float:
        """Return when somebody last typed in a watched pane, in seconds since 1970; 0 if never."""
        return float(self._api.call("GET", "/desk", "Ask the desk")["typedAt"])

    def interrupt(self, session_id: str) -> values.Session:
        """Interrupt a busy session."""
        return self._api.post(values.Session, session_path(session_id, "interrupt"), "Interrupt")

    def permission_mode(self, session_id: str, mode: str) -> values.Session:
        """Switch the permission mode."""
        path = session_path(session_id, "permission-mode")
        return self._api.post(values.Session, path, "Switch mode", {"mode": mode})

    def model(self, session_id: str, model: str) -> values.Session:
        """Switch the model."""
        path = session_path(session_id, "model")
        return self._api.post(values.Session, path, "Switch model", {"model": model})

    def resume_later(self, session_id: str, message: str | None = "continue") -> values.Session:
        """Send a message once, when the session's usage limit has ended; None cancels that."""
        path = session_path(session_id, "resume-later")
        if message is None:
            return self._api.delete(values.Session, path, "Do not resume")
        return self._api.post(values.Session, path, "Resume later", {"message": message})

    def dismiss_limit(self, session_id: str) -> values.Session:
        """Treat the session's usage limit as ended."""
        path = session_path(session_id, "limit")
        return self._api.delete(values.Session, path, "Dismiss limit")

    def rules(self) -> values.RuleBook:
        """Return the rules and the guard rails."""
        return self._api.get(values.RuleBook, "/rules", "Read rules")

    def add_rules(self, rules: Sequence[values.Rule]) -> Sequence[values.Rule]:
        """Add rules, which answer open prompts at once."""
        reply = self._api.call("POST", "/rules", "Add rules", _rules_body(rules))
        return [load(values.Rule, each) for each in reply["rules"]]

    def remove_rule(self, name: str) -> values.Rule:
        """Remove a rule."""
        return self._api.delete(values.Rule, rule_path(name), "Remove rule")

    def try_rules(self, rules: Sequence[values.Rule]) -> values.RuleTrial:
        """Return what rules would have done to the permissions in the journal."""
        return self._api.post(values.RuleTrial, "/rules/try", "Try rules", _rules_body(rules))

    def explain(self, request_id: str) -> values.Explanation:
        """Return why a prompt was asked, and the narrowest rule that would allow it."""
        path = prompt_path(request_id, "rules")
        return self._api.get(values.Explanation, path, "Explain prompt")

    def journal(
        self, *, after: int = 0, limit: int = 200, session_id: str | None = None
    ) -> values.JournalPage:
        """Return past events, oldest first."""
        query = {"after": after, "limit": limit, "sessionId": session_id}
        return self._api.get(values.JournalPage, "/journal", "Read journal", query)

    def latest_events(
        self,
        *,
        types: Sequence[str] = (),
        session_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> values.LatestEvents:
        """Return past events, newest first."""
        query = {
            "sessionId": session_id,
            "types": ",".join(types) or None,
            "cursor": cursor,
            "limit": limit,
        }
        return self._api.get(values.LatestEvents, "/journal/latest", "Read latest events", query)

    def snapshot(self, session_id: str | None = None) -> values.Snapshot:
        """Return the current state, which a stream without a cursor begins with."""
        events = self.events(session_id=session_id)
        with closing(events):  # type: ignore[type-var]
            for event in events:
                if event and event.type == "snapshot":
                    return load(values.Snapshot, event.data)
        raise errors.Unavailable(f"{self._api.url} sent no snapshot")

    def events(
        self,
        after: str | None = None,
        *,
        session_id: str | None = None,
        screens: bool = False,
        idle: float = 15.0,
    ) -> Iterator[values.Event | None]:
        """Yield events as they come, and None for each keep-alive comment of the server."""
        path = "/events" if session_id is None else session_path(session_id, "events")
        query = {"after": after, "screen": "true" if screens else None}
        with self._api.open("GET", path, "Watch events", query=query, stream=True) as answer:
            try:
                lines = answer.iter_lines(chunk_size=1, decode_unicode=False)
                yield from read_events(lines, after or "")
            except requests.RequestException:
                return


def _rules_body(rules: Sequence[values.Rule]) -> dict[str, Any]:
    counted = ("count", "lastUsed")
    return {
        "rules": [
            {name: value for name, value in dump(rule).items() if name not in counted}
            for rule in rules
        ]
    }
