"""Dialogs that sell something are distinguished from others."""

from __future__ import annotations

import pytest

from clawtap_core.screens.purchases import sells


@pytest.mark.parametrize(
    "text",
    [
        "Upgrade your plan",
        "Upgrade for higher limits",
        "Use AI Credits - Continue this request (Overage)",
        "Manage - View balance and purchase more credits",
        "Yes, turn on extra usage",
    ],
)
def test_a_dialog_that_costs_money_is_known(text):
    assert sells(text)


@pytest.mark.parametrize(
    "text", ["Yes, upgrade numpy to 2.0?", "Do you trust the files in this folder?", "Yes, allow"]
)
def test_others_are_not(text):
    assert not sells(text)
