"""A frame that is painted before its body: what the contract shows an adapter, and wants of it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from clawtap_core import AdapterInfo, Effect, Kind, Option, PromptForm, Screen, hookimpl
from clawtap_core.testing import AdapterContract, Recording
from clawtap_core.testing.recordings import Truth
from clawtap_core.testing.variations import without_body

FRAME = Screen(("> go", "│ Run this?      │", "│                │", "│ > Yes │ No     │"), 18, 4)
SCREEN = Screen((*FRAME.captured[:2], "│   make Yes     │", FRAME.captured[3]), 18, 4)
OPTIONS = (Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY))


def form(screen: Screen) -> PromptForm:
    body = screen.lines[2].strip("│ ")
    return PromptForm(Kind.PERMISSION, "Run this?", body, options=OPTIONS, top=1)


def check(read: Any) -> None:
    @hookimpl
    def adapter_info() -> AdapterInfo:
        return AdapterInfo("mycli", "My CLI")

    @hookimpl
    def detect_prompt(screen: Screen) -> PromptForm:
        return read(screen)  # type: ignore[no-any-return]

    plugin = ModuleType("mycli")
    vars(plugin).update(adapter_info=adapter_info, detect_prompt=detect_prompt)
    contract = type("Contract", (AdapterContract,), {"plugin": plugin})()
    contract.test_a_frame_painted_before_its_body_is_not_taken_for_the_body(
        Recording("allow", SCREEN, Truth(is_prompt=True))
    )


def test_the_body_of_a_prompt_is_blank_in_its_frame() -> None:
    blanked = without_body(SCREEN, PromptForm(Kind.PERMISSION, "Run this?", "make Yes", top=1))
    assert blanked
    assert blanked.lines == FRAME.lines
    assert without_body(FRAME, form(FRAME)) is None


def test_an_adapter_may_read_a_frame_without_a_body_or_nothing() -> None:
    check(form)
    check(lambda screen: form(screen) if screen == SCREEN else None)


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"description": "Yes"}, "a part of the frame was read as the body: 'Yes'"),
        ({"tool_input": {"command": ""}}, "it was read with an empty command"),
    ],
)
def test_an_adapter_that_makes_up_a_body_is_found_out(more: Any, complaint: str) -> None:
    def read(screen: Screen) -> PromptForm:
        known = form(screen)
        whole = {"description": "make Yes", "tool_input": {"command": "make Yes"}}
        values = whole if known.description else more
        return PromptForm(Kind.PERMISSION, "Run this?", options=OPTIONS, top=1, **values)

    with pytest.raises(AssertionError, match=complaint):
        check(read)
