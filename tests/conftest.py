"""What holds for all our tests: nothing is left behind, and real CLIs run only when asked for."""

from __future__ import annotations

import errno
import gc
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from werkzeug.routing import Rule

from clawtap_core.server import private_files

# A busy machine is no failure.
settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--conformance",
        action="store_true",
        help="run the suite against real CLIs, installed from npm",
    )
    parser.addoption(
        "--rounds",
        type=int,
        default=12,
        help="how often two answer one prompt at once, in the tests of that",
    )
    parser.addoption(
        "--days",
        type=int,
        default=0,
        help="working days of 60 steps for each CLI in test_working_day.py; else a short one",
    )
    parser.addoption(
        "--faults",
        action="store_true",
        help="break everything that tests/faults can break, and all loads; else a slice of it",
    )
    parser.addoption(
        "--kills", type=int, help="how often the server is killed at a random moment [500, or 4]"
    )
    parser.addoption(
        "--prompts", type=int, help="how many prompts are answered in a row [10000, or 30]"
    )
    parser.addoption(
        "--soak-minutes",
        type=float,
        default=60.0,
        help="how long test_soak.py runs, which needs --faults; --conformance adds real CLIs",
    )
    parser.addoption(
        "--fuzz-minutes",
        type=float,
        default=0.0,
        help="how long all adapters are fuzzed in test_screen_fuzz.py; else 400 screens each",
    )
    parser.addoption(
        "--requests",
        type=int,
        default=4,
        help="requests to each route with each role, in test_generated_requests.py",
    )
    parser.addoption(
        "--samples", type=int, default=5, help="prompts for each CLI in test_reaction_times.py"
    )


SUITE_OF_REAL_CLIS = Path(__file__).with_name("conformance")
NEEDS = {
    "chromium": "browser",
    "whole_chromium": "browser",
    "tmux_socket": "tmux",
    "served": "process",
    "fresh": "process",
    "nursery": "process",
}
"""What a test needs besides this process, by the fixture that gives it."""

LONG_WAITS = frozenset(
    (
        *("test_live_check", "test_make_fleet", "test_cut_off", "test_hub_notice"),
        *("test_several_machines", "test_browser_notifications", "test_browser_budgets"),
        *("test_browser_answers", "test_browser_demo", "test_browser_external"),
    )
)
"""The files of tests that take the longest."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Collect the suite of real CLIs only when its option or a path in it is given."""
    if collection_path != SUITE_OF_REAL_CLIS or config.getoption("--conformance"):
        return None
    return None if any("conformance" in argument for argument in config.args) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in NEEDS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(NEEDS[fixture])
    # Begun last, one that waits for half a minute would leave the other workers without work.
    items.sort(key=lambda item: item.path.stem not in LONG_WAITS)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Collect no garbage while thousands of tests are made: that took a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Keep the thousands of tests out of every later collection of garbage."""
    gc.collect()
    gc.freeze()


_builders: dict[tuple[Any, ...], Callable[..., Any]] = {}


@pytest.fixture(autouse=True)
def _loggers_as_they_were():
    """A command is a process of its own elsewhere: what it hushes speaks again after the test."""
    host = logging.getLogger("clawtap_core.host")
    before = host.level
    yield
    host.setLevel(before)


@pytest.fixture(scope="session", autouse=True)
def _url_rules_are_compiled_once() -> None:
    """Share what werkzeug compiles for each URL rule: a thousand tests make an app of 70 rules."""
    compile_builder = Rule._compile_builder

    def shared(rule: Rule, append_unknown: bool = True) -> Callable[..., Any]:
        key = (rule.rule, append_unknown, str(rule.defaults), *rule._trace)
        if key not in _builders:
            _builders[key] = compile_builder(rule, append_unknown)
        return _builders[key]

    Rule._compile_builder = shared


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Forks servers, faster than they start."""
    from forked_server import Nursery

    nursery = Nursery(tmp_path_factory.mktemp("nursery"))
    yield nursery
    nursery.close()


@pytest.fixture
def fill_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes every file of the data folder refuse to be written."""

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    return lambda: monkeypatch.setattr(private_files, "replace_file", full)


@pytest.fixture(autouse=True)
def _nothing_left_behind(no_leaks: None) -> None:
    """Every test is guarded."""
