"""Every adapter on its recordings, altered at random: `make fuzz MINUTES=10`, or a slice of it."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from clawtap_core.host import discovery
from clawtap_core.model import Effect, Kind, Option, Press, PromptForm, Response, Screen, Steps
from clawtap_core.testing.recordings import Recording
from clawtap_core.testing.screen_fuzz import ScreenFuzzer, keys_fault

PLUGINS = Path(__file__).parents[2] / "plugins"
ADAPTERS = sorted(path.parents[1].name for path in PLUGINS.glob("*/tests/recordings"))
SLICE = 400
LONGEST = 0.25
"""CPU seconds for one screen; the slowest of millions took a tenth of that."""


@pytest.fixture(params=ADAPTERS)
def fuzzer(request):
    package = request.param.replace("-", "_")
    entry = next(one for one in discovery.installed() if one.module.split(".")[0] == package)
    hooks = discovery.register(entry.load(), "fuzz").hook
    recordings = Recording.load_all(PLUGINS / request.param / "tests" / "recordings")
    minutes = request.config.getoption("--fuzz-minutes")
    return ScreenFuzzer(hooks, recordings, random.Random(time.time() if minutes else 1))


@pytest.mark.timeout(0)
def test_no_altered_screen_raises_misleads_or_takes_long(fuzzer, request):
    minutes = request.config.getoption("--fuzz-minutes")
    end = time.monotonic() + minutes * 60 / len(ADAPTERS)
    count, slowest, faults = 0, 0.0, {}
    while count < SLICE or time.monotonic() < end:
        tried = fuzzer.try_one()
        count += 1
        slowest = max(slowest, tried.seconds)
        if tried.fault:
            faults.setdefault((tried.how, tried.fault), tried.screen.text)
    print(f"[fuzz] {count} screens, the slowest {slowest * 1000:.0f} ms, {len(faults)} faults")
    assert not faults, "\n\n".join(f"{key}:\n{text}" for key, text in [*faults.items()][:5])
    assert slowest < LONGEST


ASK = PromptForm(
    Kind.PERMISSION,
    "Run it?",
    options=(Option("yes", "Yes", Effect.ALLOW_ONCE), Option("no", "No", Effect.DENY)),
    selected="yes",
)
SHOWN = Screen(("Run it?", "> 1. Yes", "  2. No"))


@pytest.mark.parametrize(
    ("chosen", "key", "screen", "fault"),
    [
        ("no", "2", SHOWN, ""),
        ("no", "2", Screen(("Run it?", "> 1. Yes", "  2. N\u200bo")), ""),
        ("yes", "Enter", SHOWN, ""),
        ("no", "Enter", SHOWN, "Enter for 'No', while 'Yes' is selected"),
        ("no", "3", SHOWN, "the key '3' is not on the screen"),
        ("no", "2", Screen(("Run it?", "> 1. Yes")), "the option 'No' is not on the screen"),
    ],
)
def test_keys_that_do_not_fit_the_screen_are_found(chosen, key, screen, fault):
    steps = Steps((Press(key, deciding=True),))
    assert keys_fault(ASK, Response("r", selected_option=chosen), steps, screen) == fault
