"""new, adopt, ls, attach, end, send, interrupt, mode, model."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.cli import output, sessions
from clawtap_core.errors import Conflict
from clawtap_core.model import LaunchRequest, Restoration, RestoreOutcome, SessionState


def test_the_sessions_are_listed_with_their_state(run: Any) -> None:
    lines = run("ls").output.splitlines()
    assert lines[0].split() == ["ID", "CLI", "STATE", "ASKS", "QUEUED", "TITLE", "FOLDER"]
    assert " ".join(lines[1].split()) == "s-alpha- Demo agent idle 1 about s-alpha-1 /proj"
    assert len(lines) == 3


def test_a_list_as_json_is_the_wire_form(run: Any) -> None:
    listed = json.loads(run("ls", "--json").output)
    assert [session["id"] for session in listed] == ["s-alpha-1", "s-beta-22"]
    assert listed[0]["createdAt"] == "2026-01-02T03:04:05Z"


def test_labels_are_coloured_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "colourful", lambda: True)
    assert output.paint("Demo", "36") == "\x1b[36mDemo\x1b[0m"
    monkeypatch.undo()
    assert output.paint("Demo", "36") == "Demo"


def test_no_color_wins_over_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert output.colourful()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not output.colourful()


def test_a_title_cannot_bring_escape_sequences() -> None:
    assert output.one_line("a\x1b[31mb\x1b]0;x\x07\nc") == "ab c"


def test_a_session_is_started_where_we_are(run: Any, server: Any) -> None:
    result = run("new", "demo", "-m", "hello", "--mode", "plan", "--", "--chat", "-x")
    (name, request) = server.calls[0]
    assert name == "start"
    assert request == LaunchRequest(
        "demo",
        str(Path.cwd()),
        message="hello",
        permission_mode="plan",
        args=("--chat", "-x"),
    )
    assert result.output.startswith("s-new  demo")


def test_a_pane_is_not_made_larger_or_smaller_than_the_server_allows(run: Any, server: Any) -> None:
    for size in ("--cols=19", "--cols=1001", "--rows=4", "--rows=501"):
        assert run("new", "demo", size).exit_code == 2
    assert run("new", "demo", "--cols=20", "--rows=500").exit_code == 0
    assert len(server.calls) == 1


def test_a_folder_is_made_absolute(run: Any, server: Any) -> None:
    run("new", "demo", "--cwd", "sub")
    assert server.calls[0][1].cwd == str(Path.cwd() / "sub")


def test_a_pane_is_adopted_and_panes_are_listed(run: Any, server: Any) -> None:
    assert "in pane %7" in run("adopt", "%7", "--adapter", "demo").output
    assert server.calls == [("adopt", "%7", "demo")]
    assert "%7" in run("adopt").output
    assert json.loads(run("adopt", "--json").output)[0]["tmuxSession"] == "0"


def test_an_id_can_be_cut_to_a_unique_beginning(run: Any, server: Any) -> None:
    assert run("end", "s-a").exit_code == 0
    assert server.calls == [("end", "s-alpha-1")]


def test_an_ambiguous_or_unknown_id_says_which_there_are(run: Any, server: Any) -> None:
    result = run("end", "s-")
    assert result.exit_code == 1
    assert "s-alpha-1, s-beta-22 (ambiguous_id)" in result.stderr
    result = run("end", "zzz")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: no such session: 'zzz' (known: s-alpha-, s-beta-2) (session_not_found)\n"
    )
    assert server.calls == []


def test_a_whole_id_wins_over_one_that_begins_so(run: Any, server: Any) -> None:
    server.live.append(sessions_like(server, "s-alpha-12"))
    run("end", "s-alpha-1")
    assert server.calls == [("end", "s-alpha-1")]


def sessions_like(server: Any, name: str) -> Any:
    from dataclasses import replace

    return replace(server.live[0], id=name)


def test_attach_shows_the_pane_by_tmux_itself(
    run: Any, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced: list[Any] = []
    monkeypatch.setattr(os, "execvp", lambda *argv: replaced.append(argv))
    monkeypatch.setattr(sessions, "has_pane", lambda pane, socket: (pane, socket) == ("%3", "own"))
    monkeypatch.delenv("TMUX", raising=False)
    elsewhere = run("attach", "s-alpha", "--tmux-socket", "another")
    assert (elsewhere.exit_code, replaced) == (1, [])
    assert "no pane %3 on its socket another" in elsewhere.stderr
    assert "--tmux-socket" in elsewhere.stderr
    assert run("attach", "s-alpha", "--tmux-socket", "own").exit_code == 0
    (program, argv) = replaced[0]
    assert (program, argv[:3], argv[-3:]) == (
        "tmux", ["tmux", "-L", "own"], ["attach-session", "-t", "%3"],
    )  # fmt: skip
    assert run("attach", "s-beta", "--tmux-socket", "own").exit_code == 1


def test_within_tmux_the_client_is_switched() -> None:
    assert sessions.attach_argv("%1", None, inside=True)[-3:] == ["switch-client", "-t", "%1"]


def test_a_message_is_sent_from_words_or_stdin(run: Any, server: Any) -> None:
    assert run("send", "s-a", "fix", "the", "bug").output == "queued as m1\n"
    assert json.loads(run("send", "s-a", "-", "--json", stdin="two\nlines\n").output) == {
        "status": "queued",
        "messageId": "m1",
    }
    assert [call[2] for call in server.calls] == ["fix the bug", "two\nlines"]
    assert run("send", "s-a", stdin=" \n").exit_code == 1


def test_queued_messages_are_listed_and_taken_back(run: Any, server: Any) -> None:
    head, row = run("queue", "s-a").output.splitlines()
    assert head.split() == ["ID", "QUEUED", "WAITS", "UNTIL", "MESSAGE"]
    assert (row.split()[0], row.split()[-2:]) == ("m1", ["fix", "it"])
    assert run("queue", "s-a", "--take-back", "m1").exit_code == 0
    # Any unique prefix of its id names it; another id is the server's to refuse.
    assert run("queue", "s-a", "--take-back", "m").exit_code == 0
    assert run("queue", "s-a", "--take-back", "x").exit_code == 0
    assert [call[2] for call in server.calls] == ["m1", "m1", "x"]
    server.until = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    assert json.loads(run("queue", "s-a", "--json").output)[0]["until"] == "2026-01-02T03:04:05Z"


def test_interrupt_mode_and_model_reach_the_session(run: Any, server: Any) -> None:
    assert run("interrupt", "s-b").output == "s-beta-22: idle\n"
    assert run("mode", "s-b", "plan").output == "s-beta-22: idle, mode plan\n"
    assert json.loads(run("model", "s-b", "sage", "--json").output)["model"] == "sage"
    assert server.calls == [
        ("interrupt", "s-beta-22"),
        ("mode", "s-beta-22", "plan"),
        ("model", "s-beta-22", "sage"),
    ]


def test_what_the_server_refuses_is_one_line(run: Any, server: Any) -> None:
    server.refusal = Conflict("the session is busy", code="busy")
    result = run("mode", "s-b", "plan")
    assert (result.exit_code, result.stderr) == (1, "error: the session is busy (busy)\n")


def test_lost_sessions_are_restored_and_the_others_say_why(run: Any, server: Any) -> None:
    back, gone = (replace(session, state=SessionState.LOST) for session in server.sessions())
    server.restorations = [
        Restoration(replace(back, queued=2), RestoreOutcome.RESTORED),
        Restoration(gone, RestoreOutcome.IMPOSSIBLE, "no such folder: '/x'\x1b[31m"),
    ]
    result = run("restore")
    assert result.exit_code == 1
    first, second = result.output.splitlines()
    assert first == "s-alpha-1  Demo agent  about s-alpha-1 in /proj, 2 queued  restored"
    assert second.endswith("not restored: no such folder: '/x'")
    assert server.calls[-1] == ("restore", [], False)


def test_a_session_without_its_conversation_is_not_called_restored(run: Any, server: Any) -> None:
    session = server.sessions()[0]
    lost = RestoreOutcome.WITHOUT_CONVERSATION
    server.restorations = [Restoration(session, lost, "not found")]
    result = run("restore")
    assert result.exit_code == 1
    assert result.output.strip().endswith("started without its conversation: not found")


def test_a_dry_restore_starts_nothing(run: Any, server: Any) -> None:
    session = server.sessions()[0]
    server.restorations = [Restoration(session, RestoreOutcome.POSSIBLE)]
    result = run("restore", "--dry-run", "s-alpha", "--json")
    assert json.loads(result.output)["sessions"][0]["outcome"] == "possible"
    assert server.calls[-1] == ("restore", ["s-alpha-1"], True)


def test_nothing_to_restore_is_said(run: Any) -> None:
    assert run("restore").output == "no session was lost\n"


def test_a_machine_of_the_fleet_is_named(run: Any, server: Any) -> None:
    run("new", "demo", "--machine", "laptop")
    assert [call[0] for call in server.calls] == ["at", "start"]
    assert server.calls[0] == ("at", "laptop")
