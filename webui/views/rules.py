"""The page of rules: list, try, add and remove them."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from clawtap_core.errors import BadRequest, ClawTapError, Conflict, ErrorCode
from clawtap_core.model import Role, Rule, RuleTrial
from clawtap_core.rules.rules_file import read_rules
from clawtap_core.server.context import transport
from clawtap_core.server.roles import requires
from webui.site import page_values, site
from webui.viewmodels.outcome import sentence
from webui.viewmodels.rule_rows import offer_key, rule_row, trial_rows
from webui.views import errors
from webui.views.chosen_machine import ChosenMachine, chosen_machine
from webui.views.replies import once, reply

blueprint = Blueprint("webui_rules", __name__)
errors.install(blueprint)


@blueprint.get("/rules")
@requires(Role.WATCH)
def rules() -> str:
    """Show the rules and the guard rails."""
    return _page()


@blueprint.post("/rules")
def change() -> Response | str:
    """Try the rules in the form on the journal, or add them."""
    text = request.form.get("rules", "").replace("\r\n", "\n")
    try:
        new = _read(text)
        if request.form.get("do") == "add":
            transport().add_rules(new)
            return _to_rules()
        return _page(text, trial=transport().try_rules(new))
    except ClawTapError as error:
        return _page(text, problem=sentence(error.message))


@blueprint.post("/rules/<name>/remove")
def remove(name: str) -> Response:
    """Remove a rule."""
    once(lambda: transport().remove_rule(name))
    return _to_rules()


@blueprint.post("/prompts/<request_id>/undo-rule")
def undo(request_id: str) -> Response:
    """Remove the rule that answered a prompt."""
    runtime = transport()
    prompt = runtime.prompt(request_id)
    by = prompt.resolution.by if prompt.resolution else ""
    if not by.startswith("rule "):
        raise Conflict("no rule answered this prompt")
    try:
        runtime.remove_rule(by.removeprefix("rule "))
    except ClawTapError as error:
        # Another receipt of the same rule, or another page, was faster.
        if error.code != ErrorCode.RULE_NOT_FOUND:
            raise
    return reply("/rules", site().renderer.prompt(prompt))


@blueprint.post("/prompts/<request_id>/rule")
def accept(request_id: str) -> Response:
    """Add the rule that the card of a prompt offers; it answers the prompt at once."""
    runtime = transport()
    offered = runtime.explain(request_id).offer
    if offered is None or offer_key(offered.rule) != request.form.get("offer"):
        raise Conflict(
            "this prompt has changed, so this rule no longer fits; look at it again",
            code=ErrorCode.PROMPT_CHANGED,
        )
    runtime.add_rules([offered.rule])
    return reply("/", site().renderer.prompt(runtime.prompt(request_id)))


def _to_rules() -> Response:
    return reply(ChosenMachine().url("/rules"))


def _read(text: str) -> Sequence[Rule]:
    try:
        new = read_rules(text).rules
    except ValueError as error:
        raise BadRequest(str(error), code=ErrorCode.BAD_RULE) from error
    if not new:
        raise BadRequest("write a rule first", code=ErrorCode.BAD_RULE)
    return new


def _page(text: str = "", *, trial: RuleTrial | None = None, problem: str = "") -> str:
    machine = chosen_machine("/rules")
    book = machine.transport().rules()
    return render_template(
        "webui/rules.html",
        book=book,
        rows=[rule_row(rule) for rule in book.rules],
        text=text,
        trial=trial,
        tried=trial_rows(trial) if trial else (),
        problem=problem,
        machine=machine,
        **page_values(),
    )
