"""The adapter contract as pytest tests: what every adapter promises.

    from pathlib import Path

    import clawtap_mycli
    from clawtap_core.testing import AdapterContract

    class TestMyCli(AdapterContract):
        plugin = clawtap_mycli
        recordings = Path(__file__).with_name("recordings")

A single check can be overridden, skipped or marked like any other test.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from clawtap_core.host import Host, discovery
from clawtap_core.model import (
    AdapterInfo,
    PromptForm,
    Screen,
    SeenState,
    Steps,
    Type,
)
from clawtap_core.prompts.identity import squeeze
from clawtap_core.testing.purity import effects
from clawtap_core.testing.recordings import Recording
from clawtap_core.testing.responses import every_response
from clawtap_core.testing.truth import STEERING, change, differences, labels
from clawtap_core.testing.use import asks, look, use
from clawtap_core.testing.variations import (
    VARIATIONS,
    Variation,
    half_painted,
    scrollback_above,
    without_body,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_ID = re.compile(r"[a-z][a-z0-9-]*")
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class AdapterContract:
    """Subclass it in a test module, and set `plugin` and `recordings`.

    `steering`: labels of rows that only steer a form. `seconds_a_screen`: the median time that
    reading one screen may take.
    """

    plugin: ClassVar[Any] = None
    recordings: ClassVar[Path | None] = None
    steering: ClassVar[Sequence[str]] = STEERING
    seconds_a_screen: ClassVar[float] = 0.02
    junk_examples: ClassVar[int] = 200
    altered_examples: ClassVar[int] = 300

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run a check for each recording."""
        is_prompt = {"recording": None, "asking": True, "quiet": False}
        for name in is_prompt.keys() & set(metafunc.fixturenames):
            recordings = [
                recording
                for recording in self._all()
                if is_prompt[name] in (None, recording.truth.is_prompt)
            ]
            metafunc.parametrize(name, recordings, ids=[recording.name for recording in recordings])

    def test_it_says_who_it_is(self) -> None:
        """The plugin loads, and its metadata can be shown."""
        host = Host()
        status = host.add(self.plugin, "contract")
        assert (status.status, status.error) == ("loaded", None)
        (adapter,) = host.adapters
        info: AdapterInfo = adapter.info
        assert _ID.fullmatch(info.id), f"the id {info.id!r} is not lower-case words with dashes"
        assert info.name, "the name is empty"
        wrong = [command for command in info.commands if not command or "/" in command]
        assert not wrong, (
            f"{wrong} in commands are no names of programs:"
            " leave out a folder, and the @scope/ of an npm package"
        )
        assert _COLOR.fullmatch(info.brand.color), "the brand's colour is not #rrggbb"

    def test_a_screen_that_asks_gives_its_truth(self, asking: Recording) -> None:
        """Kind, words, options, selected row and text field match the screen."""
        form = self._prompt(asking.screen)
        assert form is not None, "no prompt was read"
        faults = differences(form, asking.truth, self.steering, asking.screen.text)
        assert not faults, "; ".join(faults)

    def test_a_screen_that_asks_nothing_gives_no_prompt(self, quiet: Recording) -> None:
        """Idle, busy and quoting screens raise no false alarm."""
        form = self._prompt(quiet.screen)
        assert form is None, f"a prompt was read: {form and form.title!r}"

    def test_the_state_is_the_one_shown(self, recording: Recording) -> None:
        """The state matches the recording, if that has one."""
        if not recording.truth.state or "state" in recording.truth.cannot_tell:
            pytest.skip("the recording does not tell the state")
        seen = self._hooks().detect_state(screen=recording.screen, previous=None)
        assert isinstance(seen, SeenState), "no state was read"
        state, truth = seen.state.value, recording.truth.state
        assert state == truth, f"the state is {state!r}, not {truth!r}"
        refusal = seen.refusal.reason if seen.refusal else None
        refused = recording.truth.refusal
        assert refusal == refused, f"the refusal is {refusal!r}, not {refused!r}"

    def test_every_answer_yields_steps(self, asking: Recording) -> None:
        """Everything that the prompt offers can be answered."""
        form = self._prompt(asking.screen)
        assert form is not None, "no prompt was read"
        for name, response in every_response(form):
            steps = self._hooks().respond(
                prompt=form, response=response, screen=asking.screen, progress=None
            )
            assert isinstance(steps, Steps), f"no steps for {name}"
            assert steps.steps, f"nothing to do for {name}"
            for step in steps.steps:
                assert not isinstance(step, Type) or step.text.isprintable(), "paste such a text"

    def test_what_does_not_matter_changes_nothing(self, recording: Recording) -> None:
        """Blanks, more rows above or below and a wider pane do not change what is read."""
        form, plain = self._prompt(recording.screen), self._read(recording.screen)
        changing = {}
        for vary in VARIATIONS:
            if vary.__name__ in recording.truth.cannot_tell:
                continue
            # What is above belongs to the prompt itself.
            if form and vary is scrollback_above and (form.truncated or form.top == 0):
                continue
            varied = self._read(vary(recording.screen))
            if varied != plain:
                changing[vary.__name__] = f"{_meaning(vary)}: {change(plain, varied)}"
        effects = ", and in ".join(changing.values())
        way_out = f'"cannot_tell": {json.dumps([*changing])}'
        assert not changing, f"what is read changes in {effects}; if no adapter can tell: {way_out}"

    def test_a_half_painted_screen_gives_the_whole_prompt_or_none(self, asking: Recording) -> None:
        """A prompt is complete or missing, however little of it is painted."""
        whole = self._read(asking.screen)
        for screen in half_painted(asking.screen):
            form = self._read(screen)
            same = form is None or asks(form) == asks(whole)
            assert same, f"a part was read as a whole prompt:\n{screen.text}"

    def test_a_frame_painted_before_its_body_is_not_taken_for_the_body(
        self, asking: Recording
    ) -> None:
        """Without the rows of its body a prompt is missing, or has no body: the core waits then."""
        whole = self._prompt(asking.screen)
        frame = without_body(asking.screen, whole) if whole else None
        form = self._prompt(frame) if frame else None
        if not (whole and form):
            return
        known = whole.tool_input or {}
        for name, value in (form.tool_input or {}).items():
            assert value or not known.get(name), f"it was read with an empty {name}"
        named = {squeeze(words) for words in (form.title, *labels(form))}
        lines = {squeeze(line) for line in form.description.split("\n")} - {""}
        wrong = lines & named - {squeeze(line) for line in whole.description.split("\n")}
        assert not wrong, f"a part of the frame was read as the body: {form.description!r}"

    def test_junk_never_raises(self) -> None:
        """No screen, however broken, makes a hook raise."""
        pytest.importorskip("hypothesis", reason="pip install 'clawtap[kit]'")
        from clawtap_core.testing.junk import junk_screens

        screens = junk_screens([recording.screen for recording in self._all()])
        _try_many(self._look, screens, self.junk_examples)

    def test_an_altered_recording_never_raises(self) -> None:
        """No recording makes a hook raise, however its rows are altered."""
        pytest.importorskip("hypothesis", reason="pip install 'clawtap[kit]'")
        from clawtap_core.testing.junk import altered_screens

        if screens := [recording.screen for recording in self._all()]:
            _try_many(self._look_and_answer, altered_screens(screens), self.altered_examples)

    def test_hooks_have_no_effects(self) -> None:
        """Hooks open no file, socket or process; that is up to the core."""
        screens = [each.screen for each in self._all()] or [Screen(("",))]
        self._look_and_answer(screens[0])
        with effects() as seen:
            for screen in screens:
                self._look_and_answer(screen)
        assert not seen, f"a hook opened something: {seen[0]}"

    def test_a_screen_is_read_in_time(self, record_property: Callable[[str, Any], None]) -> None:
        """Reading a screen is fast; the report says how fast."""
        took = [_seconds(self._look, each.screen) for each in self._all() for _ in range(3)]
        median = statistics.median(took) if took else 0.0
        record_property("microseconds_a_screen", round(median * 1e6))
        print(f"{median * 1e6:.0f} µs a screen (median of {len(took)})")
        assert median <= self.seconds_a_screen

    @classmethod
    def _all(cls) -> Sequence[Recording]:
        return _recordings(cls.recordings) if cls.recordings else ()

    @classmethod
    def _hooks(cls) -> Any:
        return _hooks(cls.plugin)

    def _prompt(self, screen: Screen) -> PromptForm | None:
        form: PromptForm | None = self._hooks().detect_prompt(screen=screen)
        assert form is None or isinstance(form, PromptForm)
        return form

    def _read(self, screen: Screen) -> PromptForm | None:
        form = self._prompt(screen)
        return replace(form, top=None, screen=None) if form else None

    def _look(self, screen: Screen) -> None:
        look(self._hooks(), screen)

    def _look_and_answer(self, screen: Screen) -> None:
        list(use(self._hooks(), screen, look(self._hooks(), screen)))


@cache
def _recordings(folder: Path) -> tuple[Recording, ...]:
    recordings = tuple(Recording.load_all(folder))
    if not recordings:
        raise FileNotFoundError(f"there is no .ansi file below {folder}")
    return recordings


@cache
def _hooks(plugin: Any) -> Any:
    # Not through the host, which would catch the adapter's errors.
    return discovery.register(plugin, "contract").hook


def _try_many(
    check: Callable[[Screen], None], screens: SearchStrategy[Screen], examples: int
) -> None:
    from hypothesis import HealthCheck, Phase, given, settings

    quick = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
        # Without the phase that explains failures: it traces every line, for seconds.
        phases=[Phase.generate, Phase.shrink],
    )
    quick(given(screens)(check))()


def _seconds(function: Callable[[Screen], None], screen: Screen) -> float:
    # A copy, since a screen caches its plain text.
    fresh = replace(screen)
    start = time.perf_counter()
    function(fresh)
    return time.perf_counter() - start


def _meaning(vary: Variation) -> str:
    """Return what a variation makes of a screen, as its docstring says."""
    return (vary.__doc__ or vary.__name__).removeprefix("Return ").removesuffix(".")
