"""What was typed is known again on a screen, however a terminal draws it."""

from __future__ import annotations

import pytest

from clawtap_core.screens import drawn, drawn_plainly

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("thumb \U0001f44d\U0001f3fd up", "thumb \U0001f44d up"),
        (f"fam {FAMILY} ily", "fam \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d ily"),
        (f"fam {FAMILY} ily", "fam \U0001f468 \U0001f469 \U0001f467 \U0001f466 ily"),
        ("cafe\u0301", "caf\xe9"),
        ("cafe\u0301", "cafe\u0301"),
        ("a\u200bb\u200cc\ufeffd", "abcd"),
        ("a\u2028b", "ab"),
        ("a\u2028b", "a b"),
        ("use \u202etxt.exe\u202c now", "use \ufffdtxt.exe\ufffd now"),
        ("heart \u2764\ufe0f x", "heart \u2764  x"),
        ("1\ufe0f\u20e3 x", "1\ufe0f\u20e3  x"),
        ("\u1112\u1161\u11ab", "\ud55c"),
        ("wrapped here", "wrapped\n  here"),
    ],
)
def test_a_text_and_its_drawing_compare_equal(typed: str, shown: str) -> None:
    assert drawn(typed) == drawn(shown)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a \U0001f44d", "a"),
        ("\U0001f44d", ""),
        ("cafe", "cape"),
        ("1", "2"),
        ("1\ufe0f\u20e3", ""),
    ],
)
def test_what_differs_on_every_terminal_differs(one: str, other: str) -> None:
    assert drawn(one) != drawn(other)


def test_plain_text_is_drawn_plainly() -> None:
    assert drawn_plainly("äöü 漢字 → x")
    assert not drawn_plainly("\U0001f44d\U0001f3fd")
    assert not drawn_plainly("a\u2028b")
