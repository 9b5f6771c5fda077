"""Take the pictures of docs/images: `python tests/webui/screenshots.py`, or `make screenshots`.

The page is the real one, over the desk of the tests with a morning's work on it, as a phone and
as a desk see it. `serving` starts the real program with the demo agent, for the test of a newcomer.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright
from webdesk.chromium import ARGUMENTS
from webdesk.served import TOKEN as DESK_TOKEN
from webdesk.served import Served, started
from webdesk.talks import talk

IMAGES = Path(__file__).parents[2] / "docs" / "images"
TOKEN = secrets.token_hex(8)
RULES = """
[[rule]]
name = "tests"
decision = "allow"
folder = "/home/me/projects/shop"
tool = "run_shell_command"
commands = ["pytest ..."]
expires = 2099-12-31

[[rule]]
name = "never-push"
decision = "deny"
commands = ["git push ..."]
"""
SIZES = {"phone": (390, 844), "desk": (1440, 900)}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """ClawTap on a free port; the URL that it prints."""
    socket = f"clawtap-pictures-{os.getpid()}"
    command = [sys.executable, "-m", "clawtap_core.cli", "serve", "--port", "0", "--token", TOKEN]
    command += ["--data-dir", str(folder / "data"), "--tmux-socket", socket]
    environment = {**os.environ, "HOME": str(folder)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()
    subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False)


def look(context: BrowserContext, url: str, name: str) -> None:
    """A picture of a page, once its pieces stand still."""
    page = context.new_page()
    page.goto(url)
    page.locator("html.js").wait_for()
    page.wait_for_timeout(700)
    page.screenshot(path=IMAGES / f"{name}.png")
    page.close()


def screen(cli: str, name: str) -> str:
    """What a real CLI showed."""
    folder = Path(__file__).parents[2] / "plugins" / f"clawtap-{cli}" / "tests" / "recordings"
    return (folder / f"{name}.ansi").read_text(encoding="utf-8")


def scene(desk: Served) -> dict[str, str]:
    """A morning's work: sessions of four CLIs, what they ask, and what was answered."""
    flaky = desk.do("add", title="Flaky checkout test", mode="default", model="pro")
    desk.do("talk", session=flaky)
    rename = desk.do(
        "add", adapter="claude", title="Rename the API client", cwd="/home/me/projects/api",
        mode="plan", model="opus",
    )  # fmt: skip
    update = desk.do(
        "add", adapter="codex", title="Dependency update", cwd="/home/me/projects/infra"
    )
    for form in ("shell", "edit", "plan", "loop"):
        asked = desk.do("ask", session=rename, form=form)
        desk.do("answer", prompt=asked, device=("Pixel 8", "Firefox on Linux")[form == "plan"])
    docs = desk.do("add", adapter="demo", title="Docs", cwd="/home/me/projects/docs", state="ended")
    search = desk.do("add", title="Search page", state="busy", mode="auto_edit", model="flash")
    desk.do("talk", session=search, minutes_ago=1)
    desk.do("kept", cwd="/home/me/projects")
    desk.do("paint", session=rename, text=screen("claude", "2.1.330/edit-120x40"))
    desk.do("paint", session=update, text=screen("codex", "0.169.0/idle_after_turn-120x40"))
    desk.do("ask", session=rename, form="edit")
    desk.do("ask", session=flaky, form="shell")
    desk.do("ask", session=update, form="several")
    return {
        "home": "/",
        "session": f"/sessions/{flaky}",
        "talk": f"/sessions/{search}",
        "questions": f"/sessions/{update}",
        "terminal": f"/sessions/{flaky}?screen=1",
        "ended": f"/sessions/{docs}",
        "new": "/new",
        "adopt": "/adopt",
        "history": "/history",
        "journal": "/journal",
        "settings": "/settings",
    }


def others(desk: Served) -> dict[str, str]:
    """What the morning's work does not need: old conversations, rules, what was lost."""
    desk.do("rules", text=RULES)
    for message in talk("m"):
        desk.do("remember", name="gemini-0", message=message)
    lost = desk.do(
        "add", adapter="claude", title="Speed up the search", cwd="/home/me/projects/api"
    )
    desk.do("state", session=lost, state="lost")
    return {
        "find": "/find?q=checkout",
        "rules": "/rules",
        "stored": "/history/gemini/gemini-0",
        "restore": "/restore",
        "certificate": "/certificate",
    }


def look_at_palette(context: BrowserContext, url: str, name: str) -> None:
    """A picture of the start page with the command palette."""
    page = context.new_page()
    page.goto(url)
    page.locator("html[data-connection=live]").wait_for()
    page.locator("[data-palette]").click()
    page.get_by_role("combobox", name="Search").fill("check")
    page.locator(".found [role=option]").first.wait_for()
    page.wait_for_timeout(700)
    page.screenshot(path=IMAGES / f"{name}.png")
    page.close()


def pictures(desk: Served) -> None:
    """Every picture, on both sizes, light and dark."""
    with sync_playwright() as driver:
        chromium = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        paths = scene(desk)
        for look_of, context in looks(browser):
            look(context, f"{desk.url}/login", f"login-{look_of}")
            sign_in(context, desk)
            for name, path in paths.items():
                look(context, f"{desk.url}{path}", f"{name}-{look_of}")
            look_at_palette(context, desk.url, f"palette-{look_of}")
        paths = others(desk)
        for look_of, context in looks(browser):
            sign_in(context, desk)
            for name, path in paths.items():
                look(context, f"{desk.url}{path}", f"{name}-{look_of}")
        browser.close()


def looks(browser: Browser) -> Iterator[tuple[str, BrowserContext]]:
    """Yield "phone-dark" and the like, each with a browser of its own."""
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
                has_touch=size == "phone",
                is_mobile=size == "phone",
            )
            yield f"{size}-{scheme}", context
            context.close()


def sign_in(context: BrowserContext, desk: Served) -> None:
    """Let the browser in."""
    context.request.post(f"{desk.url}/api/login", data={"token": DESK_TOKEN})


def main() -> None:
    """Take them all."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, closing(started(Path(name))) as desks:
        for desk in desks:
            pictures(desk)


if __name__ == "__main__":
    main()
