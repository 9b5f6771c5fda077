"""What the page costs a phone: cards, frames and memory, in Chromium with a slowed processor."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.figure import Figure
from bench.ground import Ground, ground
from clawtap_core.testing.server_process import TOKEN

SLOWED = 4
CARDS = """() => {
  window.taken = [];
  new MutationObserver((changes) => {
    for (const card of changes.flatMap((one) => [...one.addedNodes]))
      if (card.localName === 'ct-prompt' && card.dataset.state === 'pending') window.taken.push(
        performance.timeOrigin + performance.now() - Date.parse(card.dataset.order));
  }).observe(document.getElementById('prompts'), { childList: true });
}"""
FRAMES = """() => {
  window.frames_shown = 0;
  window.long_tasks = 0;
  new PerformanceObserver((list) => (window.long_tasks += list.getEntries().length))
    .observe({ type: 'longtask' });
  const count = () => { window.frames_shown += 1; requestAnimationFrame(count); };
  count();
}"""
# A reply has just begun, so that each run measures the same lengths of text.
BEGINS = """() => {
  const length = document.querySelector('.streaming-text').textContent.length;
  return length > 0 && length < 200;
}"""
ITEM_NODES = """() => {
  const walker = document.createTreeWalker(document.getElementById('feed'));
  let count = 0;
  while (walker.nextNode()) count += 1;
  return count;
}"""
DRAWN = """() => {
  window.drawn = 0;
  new MutationObserver(() => (window.drawn += 1))
    .observe(document.querySelector('.streaming-text'),
      { childList: true, characterData: true, subtree: true });
}"""


def card(rounds: int, folder_log: str = "painter.log") -> Figure:
    """Measure from an event until its card is in the page."""
    with ground() as place, _page(place, "/") as page:
        page.evaluate(CARDS)
        place.open("ask", str(place.folder / folder_log), str(rounds))
        for count in range(1, rounds + 1):
            _until(page, f"window.taken.length >= {count}")
            _answer(place)
        taken = page.evaluate("window.taken")
    note = f"{rounds} cards, p50; the slowest {max(taken):.0f} ms"
    return Figure("card", "event → card", statistics.median(taken), 30.0, "ms", 1, note)


def nodes(prompts: int) -> Figure:
    """Count the nodes of a session's page after many answered prompts, against a fifth of them."""
    with ground() as place:
        _open_spoken(place, prompts)
        with _page(place, f"/sessions/{place.sessions[0]}") as page:
            cdp = page.context.new_cdp_session(page)
            counts = []
            for number in range(1, prompts + 1):
                _answer(place)
                if number in (prompts // 5, prompts):
                    counts.append(_counted(page, cdp))
    note = f"{prompts} answered prompts, against {prompts // 5}; level is the target"
    return Figure("nodes", "nodes of a long session", counts[1], counts[0], "nodes", 0.9, note)


def frames(seconds: float, prompts: int) -> Figure:
    """Measure what the page computes for a piece of text that streams into a long session."""
    with ground() as place:
        _open_spoken(place, prompts)
        for _ in range(prompts):
            _answer(place)
        with _page(place, f"/sessions/{place.sessions[0]}") as page:
            cdp = page.context.new_cdp_session(page)
            _until(page, BEGINS)
            cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.evaluate(DRAWN)
            worked = -_worked(cdp)
            page.wait_for_timeout(1e3 * seconds)
            worked += _worked(cdp)
            drawn = page.evaluate("window.drawn")
            _until(page, BEGINS)
            cdp.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            page.evaluate(FRAMES)
            page.wait_for_timeout(1e3 * seconds)
            shown, long_tasks = page.evaluate("[window.frames_shown, window.long_tasks]")
    note = (
        f"processor time, slowed {SLOWED} times, against a frame;"
        f" {shown / seconds:.0f} frames a second, {long_tasks} long tasks in {seconds:.0f} s"
    )
    each = SLOWED * 1e3 * worked / drawn
    return Figure("frames", "text drawn while it streams", each, 1e3 / 60, "ms", 1, note)


@contextmanager
def _page(place: Ground, path: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        arguments = ["--no-sandbox", "--disable-gpu"]
        chromium = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=arguments)
        context = browser.new_context(viewport={"width": 390, "height": 844})
        context.request.post(f"{place.client.url}/api/login", data={"token": TOKEN})
        page = context.new_page()
        page.goto(f"{place.client.url}{path}")
        page.locator("html[data-connection=live]").wait_for()
        yield page
        browser.close()


def _open_spoken(place: Ground, prompts: int) -> None:
    """Open a session without a terminal: its prompts come faster than those of a pane."""
    place.open(str(place.folder / "spoken.log"), str(prompts), "write", channel="protocol")


def _answer(place: Ground) -> None:
    """Allow each prompt as soon as it opens."""
    end = time.monotonic() + 30
    while not (waiting := place.client.get("/api/pending").body):
        assert time.monotonic() < end, "nothing waits"
        time.sleep(0.005)
    (prompt,) = waiting
    body = {"requestId": prompt["requestId"]}
    reply = place.client.post(f"/api/sessions/{prompt['sessionId']}/approve", body)
    assert reply.status == 200, reply


def _worked(cdp: Any) -> float:
    """Return the processor time of the page's main thread, in seconds."""
    metrics = cdp.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def _counted(page: Any, cdp: Any) -> int:
    """Count the nodes but those of the conversation, whose items come and go up to 200."""
    # Outcomes stay where they were asked for a moment, then they join the conversation.
    _until(page, "!document.querySelector('#prompts .outcome')")
    _until(page, "document.querySelectorAll('#feed > *').length <= 200")
    cdp.send("HeapProfiler.collectGarbage")
    counted = int(cdp.send("Memory.getDOMCounters")["nodes"])
    return counted - int(page.evaluate(ITEM_NODES))


def _until(page: Any, holds: str) -> None:
    end = time.monotonic() + 30
    while not page.evaluate(holds):
        assert time.monotonic() < end, holds
        page.wait_for_timeout(10)
