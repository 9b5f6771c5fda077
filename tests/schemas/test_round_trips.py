"""What is dumped is read again as it was, whatever it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import datetime, timezone
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clawtap_core.errors import BadRequest
from clawtap_core.model import (
    Answer,
    Device,
    Event,
    Kind,
    Option,
    Prompt,
    PromptForm,
    QueuedMessage,
    Session,
)
from clawtap_core.prompts.secret_answers import without_secret_answers
from clawtap_core.schemas import ValueSchema, dump, dump_kept, load, load_kept, registry
from clawtap_core.schemas.type_check import plain

KINDS = sorted(registry.FORMS, key=lambda kind: kind.__name__)
NOT_ON_THE_WIRE = {
    "subject": "",
    "dialog": None,
    "dismiss": None,
    "top": None,
    "takes_reason": False,
    "provisional": False,
    "rewrapped": False,
    "unanswered": (),
    "answer_traces": None,
    "above": "",
}
HIDDEN = {Option: {"data"}, Device: {"digest"}}
text = st.text(max_size=6)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text
finite = leaves.filter(lambda value: value not in (float("inf"), float("-inf")))
objects = st.dictionaries(
    text, st.recursive(finite, lambda inner: st.lists(inner, max_size=2), max_leaves=3), max_size=2
)
numbers = st.integers(0, 2).map(str)
answers = st.dictionaries(numbers, text | st.lists(text, max_size=2).map(tuple), max_size=2)
PLAIN = {
    # JSON has no other numbers, and nothing here makes any.
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: text,
    datetime: st.datetimes(timezones=st.just(timezone.utc)),
    Mapping[str, Any]: objects,
    Mapping[str, Answer]: answers,
    Mapping[str, str]: st.dictionaries(numbers, text, max_size=2),
}
some = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def anything(hint: Any) -> st.SearchStrategy[Any]:
    """Any value that an annotation allows."""
    if hint in PLAIN:
        return PLAIN[hint]
    if is_dataclass(hint):
        return value_of(hint)
    arguments = get_args(hint)
    if get_origin(hint) is tuple and arguments[-1] is Ellipsis:
        return st.lists(anything(arguments[0]), max_size=3).map(tuple)
    if get_origin(hint) is tuple:
        return st.tuples(*map(anything, arguments))
    if arguments:
        return st.one_of(*map(anything, arguments))
    return st.from_type(hint)


def value_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a dataclass."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: anything(hints[field.name]) for field in fields(kind)})


def as_read(value: Any) -> Any:
    """The value as it comes back: without secrets, and without what is not on the wire."""
    if isinstance(value, Prompt):
        return replace(unsecret(value), form=as_read(value.form))
    if isinstance(value, PromptForm):
        options = tuple(map(as_read, value.options))
        return replace(value, options=options, **NOT_ON_THE_WIRE)
    if isinstance(value, Option):
        return replace(value, data=None)
    if isinstance(value, Device):
        return replace(value, digest="")
    if is_dataclass(value) and hasattr(value, "prompts"):
        return replace(value, prompts=tuple(map(as_read, value.prompts)))
    return value


def unsecret(prompt: Prompt) -> Prompt:
    if not (prompt.resolution and prompt.resolution.response):
        return prompt
    response = without_secret_answers(prompt.form, prompt.resolution.response)
    return replace(prompt, resolution=replace(prompt.resolution, response=response))


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False, ensure_ascii=False).encode())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_value_goes_over_the_wire_and_back(kind):
    @given(value_of(kind))
    @some
    def check(value):
        read = load(kind, through_json(dump(value)))
        assert asdict(read) == asdict(as_read(value))  # events are equal to themselves only

    check()


@pytest.mark.parametrize("kind", [Prompt, Session, QueuedMessage], ids=lambda kind: kind.__name__)
def test_the_journal_gets_every_field_back(kind):
    @given(value_of(kind))
    @some
    def check(value):
        expected = unsecret(value) if isinstance(value, Prompt) else value
        assert load_kept(kind, through_json(dump_kept(value))) == expected

    check()


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_junk_is_a_bad_request_and_nothing_else(kind):
    names = [field.data_key for field in registry.schema_of(kind)().fields.values()]

    @given(junk | st.dictionaries(st.sampled_from(names), junk))
    @some
    def check(data):
        with suppress(BadRequest):
            load(kind, data)

    check()


def test_every_schema_is_exported_by_its_name():
    from clawtap_core import schemas

    for kind in KINDS:
        assert getattr(schemas, registry.schema_of(kind).__name__) is registry.schema_of(kind)
    assert all(
        issubclass(getattr(schemas, name), ValueSchema) or name in ("ErrorSchema", "HealthSchema")
        for name in schemas.__all__
        if name.endswith("Schema")
    )


def test_every_field_of_every_value_is_on_the_wire():
    for kind in KINDS:
        private = HIDDEN.get(kind, set(NOT_ON_THE_WIRE))
        wire = set(registry.schema_of(kind)().fields)
        own = {field.name for field in fields(kind)}
        nested = {registry.schema_of(kind).flat}
        assert own - wire - nested <= private, kind


def test_a_value_without_a_wire_form_is_a_mistake_of_the_program():
    with pytest.raises(TypeError, match="int has no wire form"):
        dump(3)


def test_an_event_without_a_number_has_none_on_the_wire():
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
    assert dump(Event("done", at)) == {"type": "done", "at": "2026-01-02T03:04:05Z", "data": {}}


FORM_FIELDS = [field.name for field in fields(PromptForm)]


@given(
    value_of(PromptForm), st.sampled_from(FORM_FIELDS), junk | anything(PromptForm), st.booleans()
)
def test_what_is_plain_is_kept_and_read_again(form, name, rubbish, spoil):
    """The quick proof lets nothing through that the schemas would refuse."""
    if spoil:
        form = replace(form, **{name: rubbish})
    if plain(form):
        prompt = Prompt("-", "s", "terminal", form, datetime(2000, 1, 1, tzinfo=timezone.utc))
        assert load_kept(Prompt, json.loads(json.dumps(dump_kept(prompt)))).form == form
        dump(prompt)


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": 3},
        {"kind": "permission"},
        {"options": [Option("yes", "Yes")]},
        {"options": (Option("yes", "Yes", "allow_once"),)},
        {"tool_input": {1: "one"}},
        {"tool_input": {"why": float("nan")}},
        {"tool_input": {"what": object()}},
        {"description": "\ud800"},
        {"top": "3"},
    ],
)
def test_what_is_not_of_its_type_is_not_plain(wrong):
    assert plain(PromptForm(Kind.PERMISSION, "Run?"))
    assert not plain(replace(PromptForm(Kind.PERMISSION, "Run?"), **wrong))
