"""The keys of each answer, on screens of the real CLI."""

from __future__ import annotations

from pathlib import Path

import clawtap_copilot
import pytest
from clawtap_copilot.keys.respond import respond
from recorded_cli import RecordedCli

from clawtap_core import PromptForm, Response

NEW, OLD = "1.0.102", "1.0.64"
RECORDED = RecordedCli(clawtap_copilot, Path(__file__).with_name("recordings"), NEW)
form_of, answer = RECORDED.form, RECORDED.answer


def refusal(form: PromptForm, reason: str | None = None) -> Response:
    option = form.options[-1]
    return Response("r", selected_option=option.value, reason=reason)


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_digit_chooses_an_option_at_once(version: str) -> None:
    assert answer(["bash-always"], Response("r", selected_option="yes"), version) == ["1"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_arrows_choose_it_while_the_cursor_is_in_the_field(version: str) -> None:
    yes = Response("r", selected_option="yes")
    assert answer(["bash-no", "bash-always", "bash"], yes, version)[:1] == ["Up"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_reason_is_written_into_the_list_and_read_back(version: str) -> None:
    deny = refusal(form_of("bash", version), "use tmp")
    assert answer(["bash", "bash-no", "bash-reason"], deny, version) == ["3", "use tmp", "Enter"]


def test_a_reason_that_would_push_the_list_off_the_screen_follows_as_a_message() -> None:
    form, shown = form_of("bash"), RECORDED.screen("bash")
    for words, left in ((100, False), (400, True)):
        steps = respond(form, refusal(form, "reason word " * words), shown, None)
        assert steps is not None
        assert steps.reason_left is left
        assert [getattr(step, "key", "") for step in steps.steps] == ["Escape" if left else "3"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_escape_refuses_without_a_reason(version: str) -> None:
    for name in ("bash", "path", "url", "mcp", "create", "trust"):
        deny = refusal(form_of(name, version))
        assert answer([name], deny, version) == ["Escape"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_plan_is_accepted_by_its_digit_and_sent_back_in_its_field(version: str) -> None:
    accepted = form_of("plan", version).options[0]
    approve = Response("r", selected_option=accepted.value)
    assert answer(["plan"], approve, version) == ["1"]
    deny = Response("r", decision="deny", reason="more tests")
    screens = ["plan", "plan-suggest", "plan-suggest-typed"]
    assert answer(screens, deny, version) == ["4", "more tests", "Enter"]


def test_a_list_without_numbers_is_answered_by_arrows() -> None:
    postgres = Response("r", answers={"0": "Postgres"})
    assert answer(["single", "single-2"], postgres) == ["Down", "Enter"]


def test_an_answer_of_ones_own_is_written_where_its_row_opens() -> None:
    own = Response("r", answers={"0": "MariaDB"})
    screens = ["single", "single-2", "single-other-open", "single-other-typed"]
    assert answer(screens, own) == ["Down", "Down", "MariaDB", "Enter"]
    screens = ["single", "single-other-open", "single-other-typed"]
    assert answer(screens, own, OLD) == ["3", "MariaDB", "Enter"]


def test_a_blank_follows_words_that_end_in_a_backslash() -> None:
    own = Response("r", answers={"0": "C:\\"})
    assert answer(["single-other-open"], own, form=form_of("single")) == ["C:\\ "]


def test_words_of_the_desk_are_erased_before_the_cursor_leaves_them() -> None:
    form = form_of("multi")
    for labels in (("UI",), ("API", "DB", "a film")):
        response = Response("r", answers={"0": labels})
        keys = answer(["multi-other-typed"], response, form=form)
        assert keys[:2] == ["End", "BSpace"]
    one = Response("r", answers={"0": "Postgres"})
    assert answer(["single-other-typed"], one)[:2] == ["End", "BSpace"]


def test_several_are_ticked_and_the_own_answer_is_accepted_in_its_field() -> None:
    response = Response("r", answers={"0": ("API", "docs")})
    screens = ["multi", "multi-ticked", "multi-other-open", "multi-other-typed"]
    assert answer(screens, response) == ["Space", "Down", "docs", "Enter"]


def test_ticks_are_accepted_outside_of_the_field() -> None:
    api = Response("r", answers={"0": ("API",)})
    assert answer(["multi-other-open", "multi-other-left"], api)[0] == "Up"
    assert answer(["multi-ticked"], api) == ["Enter"]


def test_a_text_is_written_and_sent() -> None:
    name = Response("r", answers={"0": "a thing"})
    assert answer(["text", "text-typed"], name) == ["a thing", "Enter"]
    assert answer(["text", "text-typed"], name, OLD) == ["a thing", "Enter"]


def test_what_a_field_suggests_is_removed_first() -> None:
    steps = answer(["number"], Response("r", answers={"0": "12"}))
    assert set(steps) == {"End", "BSpace"}


def test_the_answer_of_one_tab_is_not_carried_to_the_next() -> None:
    first = Response("r", answers={"0": "SQLite"})
    assert answer(["tabs-1", "tabs-2", "tabs-2"], first) == ["Enter"]
    last = Response("r", answers={"0": "it"})
    assert answer(["tabs-4", "tabs-4-typed"], last) == ["it", "Enter"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_message_that_is_a_word_which_ends_the_cli_is_refused(version: str) -> None:
    idle = RECORDED.screen("idle", version)
    assert clawtap_copilot.compose("exit", idle, None) is None
    assert clawtap_copilot.compose("Quit", idle, None) is None
    assert clawtap_copilot.compose("look\n├── src", idle, None) is None
    assert clawtap_copilot.compose("exit is a word", idle, None) is not None
