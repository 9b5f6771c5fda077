"""Take the pictures of docs/images from the running program: `python tests/webui/screenshots.py`.

It serves with a data folder, a tmux server and sessions of the demo agent of its own, answers the
first prompts of some of them, and looks at the page as a phone and as a desk do.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, sync_playwright

IMAGES = Path(__file__).parents[2] / "docs" / "images"
TOKEN = secrets.token_hex(8)
SIZES = {"phone": (390, 844), "desk": (1440, 900)}
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-component-update", "--disable-sync"),
)
STORY = (("shop", 0), ("api", 1), ("docs", 3))


def call(url: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """One call of the API."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}{path}", data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


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


def start(url: str, folder: Path, name: str) -> str:
    """A session of the demo agent in a folder of this name."""
    cwd = folder / "projects" / name
    cwd.mkdir(parents=True)
    return str(call(url, "/api/sessions", {"adapter": "demo", "cwd": str(cwd)})["id"])


def waiting(url: str, session: str, not_this: str = "") -> dict[str, Any]:
    """The prompt that a session comes to wait with."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for prompt in call(url, f"/api/sessions/{session}/pending"):
            if prompt["requestId"] != not_this:
                return dict(prompt)
        time.sleep(0.1)
    raise TimeoutError(f"session {session} asks nothing")


def go_on(url: str, session: str, times: int) -> None:
    """Answer this many prompts of a session, and wait for the next."""
    last = ""
    for _ in range(times):
        prompt = waiting(url, session, last)
        last = prompt["requestId"]
        call(url, f"/api/sessions/{session}/respond", {"requestId": last, **_answer(prompt)})
    waiting(url, session, last)


def _answer(prompt: dict[str, Any]) -> dict[str, Any]:
    questions = prompt.get("questions") or []
    if questions:
        return {"answers": {str(at): _first(one) for at, one in enumerate(questions)}}
    allowed = [one for one in prompt["options"] if one["effect"] != "deny"]
    return {"selectedOption": allowed[0]["value"]}


def _first(question: dict[str, Any]) -> Any:
    options = question.get("options") or []
    label = options[0]["label"] if options else "shop"
    return [label] if question.get("multiSelect") else label


def look(context: BrowserContext, url: str, path: str, name: str) -> Page:
    """A picture of a page, once its pieces stand still."""
    page = context.new_page()
    page.goto(f"{url}{path}")
    page.locator("html.js").wait_for()
    page.wait_for_timeout(700)
    page.screenshot(path=IMAGES / f"{name}.png")
    return page


def pictures(url: str, sessions: dict[str, str]) -> None:
    """Every picture, on both sizes, light and dark."""
    with sync_playwright() as driver:
        chromium = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=scheme,  # type: ignore[arg-type]
                    has_touch=size == "phone",
                    is_mobile=size == "phone",
                )
                context.request.post(f"{url}/api/login", data={"token": TOKEN})
                look(context, url, "/", f"home-{size}-{scheme}")
                for name, session in sessions.items():
                    look(context, url, f"/sessions/{session}", f"{name}-{size}-{scheme}")
                context.close()
        browser.close()


def main() -> None:
    """Take them all."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, serving(Path(name)) as url:
        folder = Path(name)
        for title, times in STORY:
            go_on(url, start(url, folder, title), times)
        pictures(url, {"session": call(url, "/api/pending")[0]["sessionId"]})


if __name__ == "__main__":
    main()
