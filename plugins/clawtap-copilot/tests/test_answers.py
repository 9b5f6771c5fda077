"""The keys of each answer, on screens of the real CLI."""

from __future__ import annotations

from pathlib import Path

import pytest
from clawtap_copilot.keys.respond import respond
from clawtap_copilot.screen.prompt import detect_prompt

from clawtap_core import Paste, Press, PromptForm, Response, Screen, Steps, Type
from clawtap_core.testing import Recording

FOLDER = Path(__file__).with_name("recordings")
NEW, OLD = "1.0.102", "1.0.64"


def screen(name: str, version: str = NEW, size: str = "120x40") -> Screen:
    return Recording.load(FOLDER / version / f"{name}-{size}.ansi").screen


def form_on(shown: Screen) -> PromptForm:
    form = detect_prompt(shown)
    assert form is not None
    return form


def keys(steps: Steps | None) -> list[str]:
    assert steps is not None
    typed = [step for step in steps.steps if isinstance(step, Press | Type | Paste)]
    return [step.key if isinstance(step, Press) else step.text for step in typed]


def play(names: list[str], response: Response, version: str = NEW) -> list[str]:
    """Answer the first screen's prompt, each screen as the CLI shows it next."""
    form, progress, pressed = form_on(screen(names[0], version)), None, list[str]()
    for name in names:
        steps = respond(form, response, screen(name, version), progress)
        assert steps is not None, name
        pressed += keys(steps)
        progress = steps.progress
        if steps.done:
            break
    return pressed


def refusal(form: PromptForm, reason: str | None = None) -> Response:
    option = form.options[-1]
    return Response("r", selected_option=option.value, reason=reason)


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_digit_chooses_an_option_at_once(version: str) -> None:
    assert play(["bash-always"], Response("r", selected_option="yes"), version) == ["1"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_arrows_choose_it_while_the_cursor_is_in_the_field(version: str) -> None:
    yes = Response("r", selected_option="yes")
    assert play(["bash-no", "bash-always", "bash"], yes, version)[:1] == ["Up"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_reason_is_written_into_the_list_and_read_back(version: str) -> None:
    deny = refusal(form_on(screen("bash", version)), "use tmp")
    assert play(["bash", "bash-no", "bash-reason"], deny, version) == ["3", "use tmp", "Enter"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_escape_refuses_without_a_reason(version: str) -> None:
    for name in ("bash", "path", "url", "mcp", "create", "trust"):
        deny = refusal(form_on(screen(name, version)))
        assert play([name], deny, version) == ["Escape"]


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_plan_is_accepted_by_its_digit_and_sent_back_in_its_field(version: str) -> None:
    accepted = form_on(screen("plan", version)).options[0]
    approve = Response("r", selected_option=accepted.value)
    assert play(["plan"], approve, version) == ["1"]
    deny = Response("r", decision="deny", reason="more tests")
    screens = ["plan", "plan-suggest", "plan-suggest-typed"]
    assert play(screens, deny, version) == ["4", "more tests", "Enter"]


def test_a_list_without_numbers_is_answered_by_arrows() -> None:
    postgres = Response("r", answers={"0": "Postgres"})
    assert play(["single", "single-2"], postgres) == ["Down", "Enter"]


def test_an_answer_of_ones_own_is_written_where_its_row_opens() -> None:
    own = Response("r", answers={"0": "MariaDB"})
    screens = ["single", "single-2", "single-other-open", "single-other-typed"]
    assert play(screens, own) == ["Down", "Down", "MariaDB", "Enter"]
    screens = ["single", "single-other-open", "single-other-typed"]
    assert play(screens, own, OLD) == ["3", "MariaDB", "Enter"]


def test_several_are_ticked_and_the_own_answer_is_accepted_in_its_field() -> None:
    response = Response("r", answers={"0": ("API", "docs")})
    screens = ["multi", "multi-ticked", "multi-other-open", "multi-other-typed"]
    assert play(screens, response) == ["Space", "Down", "docs", "Enter"]


def test_ticks_are_accepted_outside_of_the_field() -> None:
    api = Response("r", answers={"0": ("API",)})
    assert play(["multi-other-open", "multi-other-left"], api)[0] == "Up"
    assert play(["multi-ticked"], api) == ["Enter"]


def test_a_text_is_written_and_sent() -> None:
    name = Response("r", answers={"0": "a thing"})
    assert play(["text", "text-typed"], name) == ["a thing", "Enter"]
    assert play(["text", "text-typed"], name, OLD) == ["a thing", "Enter"]


def test_what_a_field_suggests_is_removed_first() -> None:
    steps = play(["number"], Response("r", answers={"0": "12"}))
    assert set(steps) == {"End", "BSpace"}


def test_the_answer_of_one_tab_is_not_carried_to_the_next() -> None:
    first = Response("r", answers={"0": "SQLite"})
    assert play(["tabs-1", "tabs-2", "tabs-2"], first) == ["Enter"]
    last = Response("r", answers={"0": "it"})
    assert play(["tabs-4", "tabs-4-typed"], last) == ["it", "Enter"]
