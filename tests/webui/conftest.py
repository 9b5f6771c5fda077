"""A server to click on, and a browser to click with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2.bccache import Bucket, BytecodeCache
from webdesk.chromium import ARGUMENTS, FASTEST, WHOLE
from webdesk.desk import Desk
from webdesk.served import TOKEN, Served, started

from clawtap_core.config import Settings
from clawtap_core.server.app import create_app
from clawtap_core.server.context import server_of, use_device
from clawtap_core.server.devices import Devices
from webui.plugin import register_routes
from webui.rendering.renderer import Renderer
from webui.site import site

PATIENCE = 60_000
SIZES = {"phone": (390, 844), "desk": (1440, 900)}


CONTEXTS = pytest.StashKey[list[Any]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Show what the pages of a failed test showed."""
    report = yield
    if call.when == "call" and report.failed:
        for page in (page for context in item.stash.get(CONTEXTS, []) for page in context.pages):
            with suppress(Exception):
                report.sections.append((page.url, page.locator("body").inner_text(timeout=2000)))
    return report


@pytest.fixture
def desk() -> Desk:
    """Sessions and prompts in this process."""
    return Desk()


class CompiledTemplates(BytecodeCache):
    """Templates, compiled once for the apps of all tests."""

    def __init__(self) -> None:
        self.code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self.code.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.code[bucket.key] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()


@pytest.fixture
def app(desk: Desk, tmp_path: Path) -> Flask:
    """The pages over the desk."""
    settings = Settings(data_dir=tmp_path / "data", token=TOKEN)
    devices = Devices(settings.data_dir / "devices.json", TOKEN)
    app = create_app(desk.transport, settings, devices=devices, extend=register_routes)
    app.jinja_env.bytecode_cache = COMPILED
    return app


@pytest.fixture
def renderer(app: Flask) -> Iterator[Renderer]:
    """The renderer of the pages, for the owner."""
    with app.app_context():
        use_device(server_of(app).devices.all()[0])
        yield site().renderer


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser without scripts that is logged in."""
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {TOKEN}"
    client.environ_base["HTTP_ACCEPT"] = "text/html"
    return client


@pytest.fixture(scope="session")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield from started(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def served(_shared: Served) -> Served:
    """A running desk, empty again."""
    _shared.do("reset")
    return _shared


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    """A running desk that no other test uses."""
    yield from started(tmp_path / "data")


@pytest.fixture(scope="session")
def _launch() -> Iterator[Callable[[str | None], Any]]:
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        browsers: dict[str, Any] = {}

        def launch(program: str | None) -> Any:
            if program is None:
                pytest.skip("chromium is not installed")
            if program not in browsers:
                browsers[program] = driver.chromium.launch(
                    executable_path=program, args=list(ARGUMENTS)
                )
            return browsers[program]

        yield launch
        for browser in browsers.values():
            browser.close()


@pytest.fixture(scope="session")
def chromium(_launch: Callable[[str | None], Any]) -> Any:
    """Debian's Chromium, without windows if that is installed."""
    return _launch(FASTEST)


@pytest.fixture(scope="session")
def whole_chromium(_launch: Callable[[str | None], Any]) -> Any:
    """Chromium with what stands around a page, and with notifications."""
    return _launch(WHOLE)


@pytest.fixture
def open_page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Opens a logged-in page; in the end none of them may have complained.

    Without service workers and motion, which take a fifth of the processor time, if nothing else
    is said.
    """
    if "fresh" in request.fixturenames:
        request.getfixturevalue("fresh")  # the pages close before their server stops
    contexts: list[Any] = []
    request.node.stash[CONTEXTS] = contexts
    complaints: list[str] = []

    def open_(
        size: str = "phone",
        path: str = "/",
        expected: str = "\0",
        server: Any = None,
        token: str = TOKEN,
        workers: str = "block",
        motion: str = "reduce",
        browser: Any = None,
    ) -> Any:
        served = server or request.getfixturevalue("served")
        width, height = SIZES[size]
        touch = size == "phone"
        context = (browser or chromium).new_context(
            viewport={"width": width, "height": height}, has_touch=touch, is_mobile=touch,
            service_workers=workers, reduced_motion=motion,
        )  # fmt: skip
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        login = context.request.post(f"{served.url}/api/login", data={"token": token})
        assert login.ok
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"{error}"))
        page.on("console", lambda said: _complain(said, expected, complaints))
        page.goto(f"{served.url}{path}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def open_live(open_page: Callable[..., Any]) -> Callable[..., Any]:
    """Opens a logged-in page and waits until events reach it."""

    def open_(*arguments: Any, **options: Any) -> Any:
        page = open_page(*arguments, **options)
        page.locator("html[data-connection=live]").wait_for()
        return page

    return open_


def _complain(said: Any, expected: str, complaints: list[str]) -> None:
    # Playwright says this of a page that is opened with workers="block".
    known = (expected, "Service Worker registration blocked")
    if said.type in ("error", "warning") and not any(words in said.text for words in known):
        complaints.append(said.text)
