"""A plan where the Gemini CLI looks for it: it tells the model, in plan mode, by its own words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clawtap_gemini.live.turns import enter_plan

from clawtap_core.testing.scripted.turns import TurnObject, call, turn

_FOLDER = re.compile(r"[^\s`\"\\]*/\.gemini/[^\s`\"\\]+/plans/")


def enter(talk: Any, text: str) -> TurnObject:
    """Take a session to plan mode, as the model proposes it; a turn that shows a plan."""
    prompt = talk.do(enter_plan())
    assert prompt["title"] == "Do you want to proceed?"
    if not prompt.get("truncated"):  # a low pane has no room for the line of the tool
        assert prompt["toolName"] == "enter_plan_mode"
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    talk.until(lambda now: now["mode"] == "plan")
    return offer_plan(talk.log.main()[-1].body, talk.cwd, text)


def offer_plan(body: Mapping[str, Any], cwd: Path, text: str) -> TurnObject:
    """Write a plan, and a turn that shows it; `body` is the last request in plan mode."""
    found = _FOLDER.search(json.dumps(body["systemInstruction"]))
    assert found, "the CLI does not tell where plans are kept"
    path = (cwd / found[0] / "plan.md").resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    # Older versions want the whole path.
    by_path = "plan_path" in _parameters(body)
    return turn(call("exit_plan_mode", **_arguments(path, by_path)))


def _arguments(path: Path, by_path: bool) -> dict[str, str]:
    return {"plan_path": str(path)} if by_path else {"plan_filename": path.name}


def _parameters(body: Mapping[str, Any]) -> Mapping[str, Any]:
    offered = [each for tools in body["tools"] for each in tools["functionDeclarations"]]
    (found,) = (each for each in offered if each["name"] == "exit_plan_mode")
    return dict(found["parametersJsonSchema"]["properties"])
