"""The start page of a hub says why it shows no sessions, as long as that is so."""

from __future__ import annotations

import pytest
from patience import until

from clawtap_core.fleet.key_file import kept_machine_id
from clawtap_core.fleet.redis_client import connect
from clawtap_core.fleet.service import forget_machine
from clawtap_core.testing.server_process import TOKEN

pytestmark = [pytest.mark.redis, pytest.mark.process, pytest.mark.tmux, pytest.mark.browser]
NOBODY = "No machine is in the fleet"


def test_the_notice_comes_and_leaves_without_a_reload(
    serve, open_page, redis_server, fleet_key, tmp_path
):
    hub = serve("hub", command="hub")
    page = open_page("phone", server=hub, token=TOKEN)
    page.evaluate("window.sameAsBefore = true")
    notice = page.get_by_role("alert").filter(has=page.locator("span"))
    empty = page.get_by_text("No sessions yet")

    def shows(name, words):
        notice.filter(has_text=words).wait_for(timeout=60_000)
        assert notice.count() == 1
        assert not empty.is_visible()
        assert not page.get_by_text("All clear").is_visible()
        (tmp_path / f"{name}.png").write_bytes(page.screenshot())

    shows("nobody", NOBODY)
    redis_server.stop()
    shows("no-redis", "The sessions of the fleet cannot be reached: ")
    redis_server.start()
    shows("nobody-again", NOBODY)
    desk = serve("desk", away=3.0)
    empty.wait_for(timeout=60_000)
    assert notice.count() == 0
    (tmp_path / "desk.png").write_bytes(page.screenshot())
    desk.kill()
    shows("away", "No machine of the fleet is online")
    desk.start()
    notice.wait_for(state="detached", timeout=60_000)
    assert empty.is_visible()
    desk.stop()
    shows("stopped", "No machine of the fleet is online")
    forget_machine(connect(redis_server.url), fleet_key, kept_machine_id(desk.data))
    shows("left", NOBODY)
    until(lambda: hub.client.get("/api/machines").body == [])
    assert page.evaluate("window.sameAsBefore")
