"""A real prompt of Claude, answered by a button of a notification in Chromium's service worker."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from clawtap_claude.live import turns
from webdesk.chromium import ARGUMENTS

from clawtap_core.testing import Served
from clawtap_core.testing.server_process import TOKEN

pytest.importorskip("pywebpush")
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from push_service import PushService

    service = PushService(tmp_path_factory.mktemp("push"))
    yield service
    service.close()
    assert service.problems == []


@pytest.fixture(scope="module")
def testbed(service: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The newer Claude, and a server that sends to the tests' own push service at once."""
    from claude_testbed import ClaudeTestbed

    testbed = ClaudeTestbed("2.1.332", tmp_path_factory.mktemp("claude-notified"))
    environment = {**testbed.env, **service.environment, "CLAWTAP_NOTIFICATION_GRACE": "0"}
    testbed.served = Served(testbed.folder, tmux_socket=testbed.desk.socket, env=environment)
    yield testbed
    testbed.close()


@pytest.fixture
def phone(testbed: Any, service: Any) -> Iterator[Any]:
    from notified_browser import NotifiedBrowser

    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        context = browser.new_context(viewport={"width": 390, "height": 844})
        context.set_default_timeout(30_000)
        phone = NotifiedBrowser(context, testbed.client.url, TOKEN, service)
        phone.leave()
        yield phone
        browser.close()


@pytest.fixture
def talk(testbed: Any) -> Iterator[Any]:
    talk = testbed.start()
    talk.idle(60)
    yield talk
    talk.leave()


def test_allow_once_on_the_notification_runs_claudes_command(phone, talk, testbed):
    prompt = talk.do(turns.shell("touch allowed-by-notice.txt"))
    phone.get()
    shown = phone.see("touch allowed-by-notice.txt")
    assert shown["actions"] == ["Allow once", "Deny"]
    assert not (talk.cwd / "allowed-by-notice.txt").exists()
    phone.press(shown["tag"], "approve")
    phone.see("Allowed once")
    talk.outputs()
    assert (talk.cwd / "allowed-by-notice.txt").exists()
    ended = testbed.client.get(f"/api/prompts/{prompt['requestId']}").body
    assert (ended["state"], ended["resolution"]["by"]) == ("answered", "user")
    talk.finish()


def test_deny_on_the_notification_reaches_claude(phone, talk, testbed):
    prompt = talk.do(turns.shell("touch denied-by-notice.txt"))
    phone.get()
    shown = phone.see("touch denied-by-notice.txt")
    phone.press(shown["tag"], "deny")
    phone.see("Denied")
    talk.idle()
    assert not (talk.cwd / "denied-by-notice.txt").exists()
    ended = testbed.client.get(f"/api/prompts/{prompt['requestId']}").body
    assert ended["state"] == "denied"


def test_a_risky_command_of_claude_has_to_be_opened(phone, talk):
    (talk.cwd / "kept.txt").write_text("kept")
    prompt = talk.do(turns.shell("rm -f kept.txt"))
    message = phone.get()
    assert message["answers"] == {}
    assert phone.see(message["body"])["actions"] == ["Open"]
    assert talk.deny(prompt).status == 200
    talk.idle()
    assert (talk.cwd / "kept.txt").exists()


def test_a_late_button_is_refused_and_claude_is_not_touched(phone, talk, testbed):
    prompt = talk.do(turns.shell("touch answered-before.txt"))
    message = phone.get()
    shown = phone.see("touch answered-before.txt")
    assert talk.deny(prompt).status == 200
    talk.idle()
    phone.deliver(message)
    phone.see("touch answered-before.txt")
    phone.press(shown["tag"], "approve")
    phone.see("Not answered: this prompt no longer needs an answer")
    assert not (talk.cwd / "answered-before.txt").exists()
    for token in message["answers"].values():
        assert token not in testbed.served.log.read_text()
