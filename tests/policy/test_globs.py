"""Globs over paths: what they match, and that none of them holds the server up."""

from __future__ import annotations

import pytest

from clawtap_core.rules.paths import matches


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("/a/*.py", "/a/b.py", True),
        ("/a/*.py", "/A/B.PY", True),
        ("/a/*.py", "/a/b/c.py", False),
        ("/a/**", "/a", True),
        ("/a/**", "/a/b/c", True),
        ("/a/**", "/ab", False),
        ("**/b/*", "/a/b/c", True),
        ("/a/**/d", "/a/d", True),
        ("/a/**/d", "/a/b/c/d", True),
        ("/a/**d", "/a/b/cd", True),
        ("/a/?", "/a/b", True),
        ("/a/?", "/a/", False),
        ("/*a*/b", "/xax/b", True),
        ("/*a*/b", "/xa/x/b", False),
    ],
)
def test_a_glob_matches_whole_paths(glob: str, path: str, fits: bool) -> None:
    assert matches(path, (glob,)) is fits


@pytest.mark.timeout(20)
@pytest.mark.parametrize("wildcards", ["*a" * 100, "**/a" * 100, "**a" * 100])
def test_many_wildcards_hold_nothing_up(wildcards: str) -> None:
    path = "/" + "a/" * 150 + "a" * 150
    assert not matches(f"{path}c", (f"/{wildcards}b",))
    assert matches("/" + "a" * 200 + "b", ("/" + "*a" * 100 + "b",))
