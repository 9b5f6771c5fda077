"""What changed between two texts."""

from __future__ import annotations

import difflib
import random

import pytest

from clawtap_core.model.line_diff import unified_diff


def test_a_line_that_is_frequent_and_equal_is_not_called_changed() -> None:
    old = [
        line
        for number in range(60)
        for line in (f"def price_{number}(cart):", f"    total = {number}", "    return total", "")
    ]
    new = [line.replace("total =", "total = 1 +") for line in old]
    signs = [row[0] for row in unified_diff(old[:-1], new[:-1])]
    assert (signs.count("-"), signs.count("+")) == (60, 60)


@pytest.mark.parametrize("seed", range(40))
def test_hunks_lead_from_one_text_to_the_other(seed: int) -> None:
    chance = random.Random(seed)
    words = ["", "}", "return", *map(str, range(30))]
    old = [chance.choice(words) for _ in range(chance.randrange(400))]
    new = [line for line in old if chance.random() > 0.1]
    for _ in range(chance.randrange(20)):
        new.insert(chance.randrange(len(new) + 1), chance.choice(words))
    rows = list(unified_diff(old, new))
    shown = [row[1:] for row in rows if row[0] in " +"]
    heads = [row for row in rows if row.startswith("@@")]
    assert sum(int(head.split()[2].split(",")[1]) for head in heads) == len(shown)
    for head, start in ((head, int(head.split()[1].split(",")[0][1:])) for head in heads):
        at = rows.index(head) + 1
        if rows[at][0] in " -":
            assert rows[at][1:] == old[start - 1]


def test_short_texts_differ_as_difflib_has_it() -> None:
    old, new = list("abcdefghij"), list("abXdefgij")
    expected = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]
    assert list(unified_diff(old, new)) == expected
    assert list(unified_diff([], ["a"])) == ["@@ -0,0 +1,1 @@", "+a"]
    assert list(unified_diff(["a"], ["a"])) == []
