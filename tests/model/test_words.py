"""The words that `clawtap_core` offers, which are imported when they are used."""

from __future__ import annotations

import pytest

import clawtap_core
from clawtap_core import errors, hookspecs, model


def test_every_word_is_there_and_in_the_list_of_all() -> None:
    assert clawtap_core.ClawTapError is errors.ClawTapError
    assert clawtap_core.hookimpl is hookspecs.hookimpl
    assert all(getattr(clawtap_core, name) is getattr(model, name) for name in model.__all__)
    assert set(clawtap_core.__all__) == {
        *("ClawTapError", "__version__", "hookimpl"),
        *model.__all__,
    }


def test_a_misspelt_word_is_an_error() -> None:
    with pytest.raises(ImportError, match="Opton"):
        exec("from clawtap_core import Opton", {})
