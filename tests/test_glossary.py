"""Every type that the glossary names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
GLOSSARY = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Glossary")[2]
CARRIERS = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|.*\|(.*)\|$", GLOSSARY, re.MULTILINE)))
SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in (CHECKOUT / "clawtap_core").rglob("*.py")
)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_word_is_carried_by_its_type(carrier: str) -> None:
    if carrier == "hookspecs":
        assert (CHECKOUT / "clawtap_core" / "hookspecs.py").exists()
        return
    owner, _, field = carrier.removeprefix("host.").partition(".")
    body = re.search(rf"^class {owner}\b.*?(?=^\S|\Z)", SOURCE, re.MULTILINE | re.DOTALL)
    assert body
    assert not field or re.search(rf"^    {field}: ", body[0], re.MULTILINE)


def test_there_are_about_thirty_words() -> None:
    assert 25 <= len(re.findall(r"^\| (?!word|-)", GLOSSARY, re.MULTILINE)) <= 30
