"""Every screen on a phone, a tablet and a desk, in every style, and by keyboard.

A page is loaded once for touch and once for a mouse; 200 % text, right to left, dark and light
are switched in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

from screenshots import scene  # noqa: E402
from webdesk.served import TOKEN  # noqa: E402

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
MEASURE = (Path(__file__).parent / "measure_page.js").read_text(encoding="utf-8")
# Widths and heights by how the page is pointed at, and the least size of a target.
SIZES = {
    "phone": {"phone": (390, 844), "small": (320, 640), "tablet": (820, 1180)},
    "desk": {"desk": (1440, 900)},
}
LEAST = {"phone": 44, "tablet": 44, "small": 32, "desk": 24}
FORMS = ("shell", "several", "form", "loop", "unknown", "scrolling", "edit", "cut", "text", "noted")
VIEWS = {
    "webui_sessions.home": ("home",),
    "webui_sessions.session": ("session", "talk", "questions", "terminal", "ended", "asks"),
    "webui_sessions.archived": ("archived",),
    "webui_search.find": ("find",),
    "webui_new_session.new": ("new",),
    "webui_new_session.panes": ("adopt",),
    "webui_history.history": ("history",),
    "webui_history.stored": ("stored",),
    "webui_journal.journal": ("journal",),
    "webui_settings.settings": ("settings", "pairing"),
    "webui_rules.rules": ("rules",),
    "webui_restore.lost": ("restore",),
    "webui_login.login": ("login",),
    "webui_certificate.certificate": ("certificate",),
    "webui_service_worker.offline": ("offline",),
}
NO_PAGES = (
    "colours",
    "favicon",
    "manifest",
    "static",
    "worker",
    "feed",
    "lines",
    "export",
    "arrival",
    "apple",
    "android",
    "pem",
    "session_check",
    "adapter_check",
)
SCREENS = [screen for screens in VIEWS.values() for screen in screens] + ["missing"]
# The others stand in test_browser_quality.
NEW_SCREENS = (
    "questions",
    "stored",
    "pairing",
    "login",
    "certificate",
    "missing",
    "archived",
    "find",
)
# More often than the Tab key has to be pressed on any screen.
MOST_STOPS = 400
# These have no way to the others: nobody is signed in, or there is no server.
ALONE = ("login", "offline", "certificate")
SWITCH = """([text, direction]) => {
  document.documentElement.style.fontSize = text;
  document.documentElement.dir = direction;
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)));
}"""
# A control by the part of the page that it is in: an event may put an equal part in its place.
PLACE = """const place = (one) => {
    const part = one.closest("[id]");
    return part ? `${part.id} ${[...part.querySelectorAll("*")].indexOf(one)}` : one;
  };"""
FOCUS = """async () => {
  %s
  // What slides in needs a frame, also where nothing moves.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const box = one.getBoundingClientRect();
  const ringed = (part) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(part);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  };
  const around = one.matches("[type=radio], [type=checkbox]") ? one.closest("label")
    : one.matches("textarea") ? one.closest("form") : null;
  const ring = ringed(one) || ringed(around ?? one);
  const inside = box.bottom > 0 && box.top < innerHeight
    && box.right > 0 && box.left < innerWidth;
  (window.walked ??= new Set()).add(one).add(place(one));
  const text = one.getAttribute("aria-label") || one.textContent || one.name || "";
  const shown = text.trim().replace(/\\s+/g, " ").slice(0, 40);
  return { key: `${one.localName}${one.id ? "#" + one.id : ""} "${shown}"`, ring, inside };
}""".replace("%s", PLACE)

# Of radio buttons of one name the Tab key reaches one; the arrow keys reach the others.
UNREACHED = """() => {
  %s
  const reached = (one) => window.walked.has(one) || window.walked.has(place(one));
  const fields = "input:not([type=hidden]), select, textarea";
  const controls = `a[href], button, ${fields}, summary, [tabindex]`;
  const walked = new Set([...document.querySelectorAll("[type=radio]")]
    .filter(reached).map((one) => one.name));
  return [...document.querySelectorAll(controls)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled
      && one.tabIndex >= 0 && !reached(one) && !(one.type === "radio" && walked.has(one.name)))
    .map((one) => one.outerHTML.slice(0, 120));
}""".replace("%s", PLACE)


EVERYTHING = "Everything that can be asked"
OWNER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="session")
def mornings() -> list[dict[str, str]]:
    """The last morning's work, once there was one."""
    return []


@pytest.fixture
def morning(_shared: Any, mornings: list[dict[str, str]]) -> dict[str, str]:
    """A morning's work, and the paths of every screen of it.

    Other tests that ran on this worker in between have emptied the desk.
    """
    if not mornings or not still_there(_shared, mornings[-1]["asks"]):
        mornings.append(a_morning(_shared))
    return mornings[-1]


def still_there(desk: Any, path: str) -> bool:
    """Whether the desk has not been emptied since."""
    found = requests.get(f"{desk.url}/api{path}", headers=OWNER, timeout=10)
    return found.ok and found.json()["title"] == EVERYTHING


def a_morning(desk: Any) -> dict[str, str]:
    """Do a morning's work."""
    desk.do("reset")
    paths = scene(desk)
    asks = desk.do("add", title=EVERYTHING, cwd="/home/me/projects/everything")
    for form in FORMS:
        desk.do("ask", session=asks, form=form)
    kept = requests.get(f"{desk.url}/api/history", headers=OWNER, timeout=10).json()[0]
    path = f"/history/{kept['adapter']}/{kept['cliSessionId']}"
    done = desk.do("add", title="Everything that is done", cwd="/home/me/projects/everything")
    for name, folder in (("Lost", "shop"), ("Lost with its folder", "gone-with-the-disk")):
        lost = desk.do("add", title=name, cwd=f"/home/me/projects/{folder}")
        desk.do("state", session=lost, state="lost")
    url = f"{desk.url}/api/sessions/{done}"
    assert requests.patch(url, headers=OWNER, json={"archived": True}, timeout=10).ok
    stored = {
        "stored": path,
        "archived": "/archived",
        "find": "/find?q=the",
        "missing": "/sessions/none",
        "pairing": "/settings",
        "rules": "/rules",
        "restore": "/restore",
    }
    alone = {"login": "/login", "offline": "/offline", "certificate": "/certificate"}
    return {**paths, **stored, **alone, "asks": f"/sessions/{asks}"}


@pytest.fixture
def screen_page(
    open_page: Callable[..., Any], chromium: Any, morning: dict[str, str], _shared: Any
) -> Callable[[str, str], Any]:
    def open_(size: str, screen: str) -> Any:
        path = morning[screen]
        apart = screen in ALONE
        first = "/certificate" if apart else path
        if screen == "missing":
            page = open_page(size, first, "404", _shared)
        else:
            page = open_page(size, first, server=_shared, workers="block")
        if apart:
            page.context.clear_cookies()
            # The page that says "offline" leaves as soon as the server answers.
            page.route("**/healthz", lambda _: None)
            page.goto(f"{_shared.url}{path}")
        if screen == "pairing":
            page.get_by_role("button", name="Pair another device").click()
            page.locator("#pairing").wait_for()
            page.locator("details.certificate").evaluate("one => one.open = true")
        page.locator("html.js").wait_for()
        page.emulate_media(reduced_motion="reduce")
        return page

    return open_


def styles(page: Any, sizes: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Switch the page through every size, text size and direction."""
    for size, (width, height) in sizes.items():
        page.set_viewport_size({"width": width, "height": height})
        # 320 px is what a phone of 640 has left at 200 %.
        for text in ("100%",) if size == "small" else ("100%", "200%"):
            for direction in ("ltr", "rtl"):
                page.evaluate(SWITCH, [text, direction])
                # Lines are broken again when the next frame is drawn.
                page.evaluate("() => new Promise(requestAnimationFrame)")
                yield f"{size} {text} {direction}"


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("pointer", ["phone", "desk"])
def test_every_screen_is_whole(
    pointer: str, screen: str, screen_page: Callable[[str, str], Any]
) -> None:
    page = screen_page(pointer, screen)
    findings = {
        style: found
        for style in styles(page, SIZES[pointer])
        if (found := page.evaluate(MEASURE, [LEAST[style.split()[0]], page.viewport_size["width"]]))
    }
    assert findings == {}


@pytest.mark.parametrize("screen", NEW_SCREENS)
def test_axe_finds_nothing_serious(screen: str, screen_page: Callable[[str, str], Any]) -> None:
    page = screen_page("phone", screen)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        violations = axe.Axe().run(page).response["violations"]
        serious = [
            f"{each['id']}: {node['target']}"
            for each in violations
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]
        assert serious == [], scheme


@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_is_used_by_keyboard_and_leads_to_the_others(
    screen: str, screen_page: Callable[[str, str], Any]
) -> None:
    page = screen_page("desk", screen)
    if screen not in ALONE:
        assert page.get_by_role("navigation", name="Pages").is_visible()
    # From the top, wherever the page was clicked last.
    page.evaluate("(document.querySelector('.skip') ?? document.activeElement).focus()")
    walk = [focus] if (focus := page.evaluate(FOCUS)) else []
    while len(walk) < MOST_STOPS:
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        walk.append(focus)
    assert 0 < len(walk) < MOST_STOPS, f"no way out: {walk[-3:]}"
    assert page.evaluate(UNREACHED) == []
    assert [focus["key"] for focus in walk if not (focus["ring"] and focus["inside"])] == []
    moving = page.evaluate(
        """() => document.getAnimations().filter((one) => one.playState === 'running'
          && one.effect.getComputedTiming().duration > 20).length"""
    )
    assert moving == 0


def test_no_page_is_left_out(app: Flask) -> None:
    pages = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("webui_")
        and "GET" in (rule.methods or ())
        and rule.endpoint.rpartition(".")[2] not in NO_PAGES
    }
    assert pages == set(VIEWS)
