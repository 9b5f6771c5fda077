"""What a person did in a working day with a CLI, and the audit of it in the evening."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any

from cli_testbed import CliSession

# Their next request to the model no longer holds what was said before the refusal.
FORGETS_REFUSED_TURNS = ("0.61.0",)


@dataclass
class Diary:
    """What was said, asked and run in one session.

    `said` holds every message in order, `typed` those of the desk, `written` what people wrote of a
    message that goes with a file. `ran` says of each command
    whether it was to run; `cut_off` names those that were interrupted. `outcomes` are the ids of
    prompts with how they ended, `wrong` what was reported otherwise than it was.
    """

    talk: CliSession
    said: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    cut_off: list[str] = field(default_factory=list)
    ran: dict[str, bool] = field(default_factory=dict)
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def heard(self, *texts: str) -> None:
        """The model got each of these once."""
        for text in texts:
            assert self.talk.log.times_said(text) == 1, (
                f"said {self.talk.log.times_said(text)} times: {text}"
            )

    def runs(self, name: str) -> int:
        """How often the command of this name ran."""
        path = self.talk.cwd / f"{name}.txt"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def over(
        self,
        prompt: Mapping[str, Any],
        name: str,
        state: str,
        *,
        allow: bool | None = True,
        end: bool = True,
    ) -> None:
        """See the end of a prompt and, with `end`, of its turn; `allow` None ran nothing."""
        assert self.talk.resolved(prompt)["state"] == state
        self.outcomes.append((prompt["requestId"], state))
        if allow is not None:
            self.ran[name] = allow
        if end and allow is not False:
            with suppress(AssertionError):
                self.talk.seat.see(self.talk.end, seconds=20)
        if end:
            self.talk.idle()
            assert self.runs(name) == int(bool(allow)), f"ran {self.runs(name)} times"
            texts = [text for text in self.said if name in text]
            forgotten = allow is False and self.talk.testbed.version in FORGETS_REFUSED_TURNS
            self.heard(*texts[forgotten:])

    def audit(self) -> None:
        """Compare the session's conversation and journal with what was done."""
        session = self.talk.get().body
        assert session["cliVersion"] == self.talk.testbed.version
        assert not self.talk.pending()
        assert self.talk.get("/queue").body == []
        for name, allow in self.ran.items():
            assert self.runs(name) == int(allow), f"{name} ran {self.runs(name)} times"
        events = self.journal()
        prompts = [
            e["data"] for e in events if e["type"] in ("approval_required", "question_prompt")
        ]
        unknown = [each["screen"] for each in prompts if each["type"] == "unknown"]
        assert not unknown, "\n".join(unknown)
        resolved = [e["data"] for e in events if e["type"] == "prompt_resolved"]
        ends = Counter((each["requestId"], each["state"]) for each in resolved)
        assert ends == Counter(self.outcomes)
        assert {each["requestId"] for each in prompts} == {name for name, _ in self.outcomes}
        assert [event for event in events if event["type"] == "session_error"] == []
        sent = [e["data"]["message"] for e in events if e["type"] == "message_sent"]
        written = [self.written.get(text, text) for text in self.said]
        assert Counter(sent) + Counter(self.typed) == Counter(written)
        self.audit_conversation()
        assert not self.wrong, self.wrong

    def audit_conversation(self) -> None:
        """Every word of the user and every call of the model stands in the conversation once."""
        messages = self.conversation()
        reported = [
            block["text"].strip()
            for message in messages
            for block in message["content"]
            if message["role"] == "user" and not message.get("notice") and block["type"] == "text"
        ]
        assert reported == self.said, "\n".join(unified_diff(self.said, reported, lineterm=""))
        blocks = [block for message in messages for block in message["content"]]
        which_ran_unsaid = "not say which of its cancelled calls had run" in str(blocks)
        calls = [block for block in blocks if block["type"] == "tool_use"]
        for name, allow in self.ran.items():
            own = [call for call in calls if f"{name}.txt" in str(call.get("input"))]
            assert len(own) == 1, f"{len(own)} calls of {name}"
            status = own[0]["status"]
            assert status != "pending", own
            # Of two calls that a refusal cut off, Codex does not say which had run; a notice does.
            unsaid = which_ran_unsaid and name.endswith(("a", "b")) and status == "cancelled"
            succeeded = allow and name not in self.cut_off
            assert unsaid or (status == "success") == succeeded, own

    def conversation(self) -> list[dict[str, Any]]:
        """The whole conversation, read page by page."""
        messages: list[dict[str, Any]] = []
        before = ""
        while True:
            page = self.talk.get(f"/messages?limit=50{before}")
            assert page.status == 200, page
            messages = [*page.body["messages"], *messages]
            if not page.body["more"]:
                return messages
            before = f"&before={messages[0]['id']}"

    def journal(self) -> list[dict[str, Any]]:
        """Everything that the journal has of this session."""
        events: list[dict[str, Any]] = []
        after = 0
        while True:
            query = f"/api/journal?limit=500&sessionId={self.talk.id}&after={after}"
            page = self.talk.testbed.client.get(query).body["events"]
            if not page:
                return events
            events += page
            after = page[-1]["seq"]
