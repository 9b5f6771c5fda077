from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawtap_core.model import Screen
from clawtap_core.server.screen_html import palette_css, screen_html


@pytest.mark.parametrize(
    ("captured", "html"),
    [
        ("plain", "plain"),
        ("<script>alert('x')</script>", "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;"),
        ("\x1b[1;31mx\x1b[0my", '<span class="fg-1 bold">x</span>y'),
        ("\x1b[97;44mx", '<span class="fg-15 bg-4">x</span>'),
        ("\x1b[38;5;200mx", '<span class="fg-200">x</span>'),
        ("\x1b[38;2;255;0;0mx", '<span class="fg-196">x</span>'),
        ("\x1b[48;2;8;8;8mx", '<span class="bg-232">x</span>'),
        ("\x1b[2;3;4;7;9mx", '<span class="dim italic underline inverse strike">x</span>'),
        ("\x1b]8;;http://evil.example\x07link\x1b]8;;\x07", "link"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_styles_become_classes_and_text_is_escaped(captured: str, html: str) -> None:
    assert screen_html(Screen.from_text(captured)) == html


@given(st.text(alphabet=st.sampled_from("<>&\"'\x1b[]0;38m25a \n\x07\\"), max_size=80))
def test_whatever_a_cli_prints_no_markup_of_its_own_gets_through(text: str) -> None:
    html = screen_html(Screen.from_text(text))
    ours = re.sub(r'<span class="[a-z0-9 -]+">|</span>', "", html)
    assert "<" not in ours
    assert ">" not in ours
    assert '"' not in ours


def test_every_class_has_a_rule() -> None:
    css = palette_css()
    assert all(f".fg-{index}{{" in css and f".bg-{index}{{" in css for index in range(256))
    assert all(f".{flag}{{" in css for flag in ("bold", "dim", "italic", "underline", "inverse"))
