"""Prints how long reading one recorded screen takes: the prompt and the state, at the median."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from pathlib import Path

from clawtap_gemini.screen.prompt import detect_prompt, parse_prompt
from clawtap_gemini.screen.state import detect_state

from clawtap_core.model import Screen
from clawtap_core.testing import Recording


def seconds(screen: Screen) -> float:
    fresh = replace(screen)
    parse_prompt.cache_clear()
    start = time.perf_counter()
    detect_prompt(fresh)
    detect_state(fresh, None)
    return time.perf_counter() - start


def main() -> None:
    screens = [each.screen for each in Recording.load_all(Path(__file__).with_name("recordings"))]
    best = sorted(min(seconds(screen) for _ in range(5)) for screen in screens)
    print(
        f"{len(best)} screens: {statistics.median(best) * 1e6:.0f} µs, at most {best[-1] * 1e6:.0f}"
    )


if __name__ == "__main__":
    main()
