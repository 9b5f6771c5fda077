"""Notifications from end to end: the demo agent, a push service, Chromium's service worker."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked_server import ForkedServed

from clawtap_core.server.notices.outbox import RECHECK_SECONDS
from clawtap_core.server.notices.presence import LOOK_SECONDS
from clawtap_core.testing import Served
from clawtap_core.testing.leaks import SOCKET_PREFIX
from clawtap_core.testing.server_process import TOKEN, clean_environment

pytest.importorskip("pywebpush")
notified_browser = pytest.importorskip("notified_browser")
push_service = pytest.importorskip("push_service")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.tmux,
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    service = push_service.PushService(tmp_path_factory.mktemp("push"))
    yield service
    service.close()
    assert service.problems == []


@pytest.fixture
def serving(
    nursery: Any, service: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server of each test's own: notifications of several would be a storm."""
    folder: Path = tmp_path_factory.mktemp("notified")
    socket = f"{SOCKET_PREFIX}notified"
    environment = {
        **clean_environment(folder / "home"),
        **service.environment,
        "CLAWTAP_NOTIFICATION_GRACE": "0",
    }
    served = ForkedServed(nursery, folder, tmux_socket=socket, env=environment).start()
    yield served
    served.stop()
    subprocess.run(["tmux", "-L", socket, "kill-server"], capture_output=True, check=False)
    assert "Traceback" not in served.log.read_text()


@pytest.fixture
def phone(whole_chromium: Any, serving: Served, service: Any) -> Iterator[Any]:
    context = whole_chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    context.set_default_timeout(30000)
    browser = notified_browser.NotifiedBrowser(context, serving.url, TOKEN, service)
    browser.leave()
    yield browser
    context.close()


@pytest.fixture
def ask(serving: Served, tmp_path: Path) -> Iterator[Any]:
    """Starts the demo agent with one thing to ask; the id of its session."""
    sessions: list[str] = []

    def start(show: str = "permission") -> str:
        body = {"adapter": "demo", "cwd": str(tmp_path), "args": ["--show", show]}
        reply = serving.client.post("/api/sessions", body)
        assert reply.status == 201, reply
        sessions.append(reply.body["id"])
        return sessions[-1]

    yield start
    for session in sessions:
        serving.client.delete(f"/api/sessions/{session}")


def outcome(serving: Served, request: str) -> dict[str, Any]:
    prompt: dict[str, Any] = serving.client.get(f"/api/prompts/{request}").body
    return prompt


@pytest.mark.parametrize(("action", "words"), [("approve", "Allowed once"), ("deny", "Denied")])
def test_a_button_on_the_notification_answers_the_agent(
    phone: Any, serving: Served, ask: Any, action: str, words: str
) -> None:
    session = ask()
    message = phone.get()
    shown = phone.see("touch made.txt && ls -la")
    assert shown["actions"] == ["Allow once", "Deny"]
    assert shown["tag"] == f"session-{session}"
    (request,) = [each["requestId"] for each in serving.client.get("/api/pending").body]
    phone.press(shown["tag"], action)
    phone.see(words)
    prompt = outcome(serving, request)
    assert prompt["state"] == {"approve": "answered", "deny": "denied"}[action]
    devices = {each["id"]: each["kind"] for each in serving.client.get("/api/devices").body}
    assert devices[prompt["resolution"]["deviceId"]] == "browser"
    for token in message["answers"].values():
        assert token not in serving.log.read_text()
    phone.deliver(message)
    phone.see("touch made.txt")
    phone.press(shown["tag"], action)
    phone.see("Not answered: this button was used already")


def test_a_notification_of_another_device_answers_nothing(
    phone: Any, serving: Served, ask: Any, whole_chromium: Any, service: Any
) -> None:
    session = ask()
    message = phone.receiver.messages.get(timeout=30)
    context = whole_chromium.new_context()
    other = notified_browser.NotifiedBrowser(context, serving.url, TOKEN, service)
    other.deliver(message)
    other.see("touch made.txt")
    other.press(f"session-{session}", "approve")
    other.see("Not answered: this notification was sent to another device")
    (pending,) = serving.client.get("/api/pending").body
    assert pending["state"] == "pending"
    context.close()


def test_a_notification_is_withdrawn_when_answered_elsewhere(
    phone: Any, serving: Served, ask: Any
) -> None:
    session = ask()
    phone.get()
    phone.see("touch made.txt")
    (pending,) = serving.client.get("/api/pending").body
    serving.client.post(f"/api/sessions/{session}/deny", {"requestId": pending["requestId"]})
    message = phone.get()
    assert (message["close"], message["body"]) == (True, "Denied from local")
    phone.see_none(f"session-{session}")


def test_what_cannot_be_judged_from_a_notification_is_opened(phone: Any, ask: Any) -> None:
    session = ask("plan")
    message = phone.get()
    assert message["answers"] == {}
    shown = phone.see(message["body"])
    assert (shown["tag"], shown["actions"]) == (f"session-{session}", ["Open"])


def test_an_answer_that_cannot_reach_the_server_is_reported(phone: Any, ask: Any) -> None:
    session = ask()
    phone.get()
    phone.see("touch made.txt")
    phone.worker.evaluate("() => { self.fetch = () => Promise.reject(new TypeError()); }")
    phone.press(f"session-{session}", "approve")
    phone.see("ClawTap cannot be reached")


def test_a_prompt_on_screen_notifies_once_its_page_is_left(
    phone: Any, serving: Served, ask: Any
) -> None:
    serving.client.patch("/api/notices", {"grace": 3600})
    phone.page.goto(serving.url)
    session = ask()
    phone.page.locator("ct-prompt[data-state=pending]").wait_for()
    assert phone.receiver.messages.empty()
    # The page says that it is left: nobody is near, and there is no grace. A report can be lost.
    phone.leave()
    assert phone.get(LOOK_SECONDS + RECHECK_SECONDS + 15)["tag"] == f"session-{session}"
    serving.client.patch("/api/notices", {"grace": 0})
