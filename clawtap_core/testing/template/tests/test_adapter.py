"""The adapter keeps the contract of every adapter, and presses the right keys."""

from pathlib import Path

import clawtap_mycli
import pytest

from clawtap_core import Press, Response
from clawtap_core.testing import AdapterContract, Recording

RECORDINGS = Path(__file__).with_name("recordings")
EXAMPLE = RECORDINGS / "allow.ansi"
of_the_example = pytest.mark.skipif(
    not EXAMPLE.exists(), reason="allow.ansi is gone: test the keys on a recording of your CLI"
)


class TestContract(AdapterContract):
    """Each recording is read as its NAME.json says; broken screens do no harm; and more."""

    plugin = clawtap_mycli
    recordings = RECORDINGS


@of_the_example
def test_the_cursor_is_moved_towards_an_option_before_enter():
    screen = Recording.load(EXAMPLE).screen
    form = clawtap_mycli.detect_prompt(screen)
    steps = clawtap_mycli.respond(form, Response("", selected_option="no"), screen, None)
    assert steps.steps == (Press("Down"),)
    assert not steps.done


@of_the_example
def test_enter_is_pressed_on_the_option_with_the_cursor():
    screen = Recording.load(EXAMPLE).screen
    form = clawtap_mycli.detect_prompt(screen)
    steps = clawtap_mycli.respond(form, Response("", selected_option="yes"), screen, None)
    assert steps.steps[-1] == Press("Enter", deciding=True)
    assert steps.done
