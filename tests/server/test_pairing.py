from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served_process import TOKEN
from sign_in import login

from clawtap_core.errors import UsageError
from clawtap_core.model import Role
from clawtap_core.server.context import server_of
from clawtap_core.server.devices import Devices
from clawtap_core.server.failure_limit import FailureLimit
from clawtap_core.server.pairing import Access, CodeUse, PairingCodes


def test_a_pairing_code_works_once(app: Any, stranger: Any, client: Any, code: Any) -> None:
    issued = client.post("/api/devices/pairing")
    assert issued.status_code == 201
    reply = issued.get_json()
    assert reply["url"] == f"http://localhost/login#pair={reply['code']}"
    sloppy = reply["code"].lower().replace("-", " ")
    assert login(stranger, code=sloppy).status_code == 200
    again = login(app.test_client(), code=reply["code"])
    assert (again.status_code, code(again)) == (401, "wrong_code")


def test_a_pairing_link_leads_where_the_page_is(client: Any) -> None:
    headers = {"Origin": "https://localhost", "Host": "localhost"}
    reply = client.post("/api/devices/pairing", headers=headers).get_json()
    assert reply["url"].startswith("https://localhost/login#pair=")


def test_a_pairing_code_grows_old() -> None:
    now = [0.0]
    codes = PairingCodes(seconds=60, clock=lambda: now[0])
    issued = codes.issue()
    now[0] = 60.0
    assert not codes.use(issued.code)


def test_a_code_is_valid_until_a_device_used_it_or_it_expired() -> None:
    now = [0.0]
    codes = PairingCodes(seconds=60, clock=lambda: now[0])
    issued, late = codes.issue(), codes.issue()
    assert codes.use_of(issued.id) == CodeUse(valid=True)
    assert codes.use(issued.code)
    codes.record_paired(issued.code, "Pixel 8")
    assert codes.use_of(issued.id) == CodeUse(valid=False, device="Pixel 8")
    now[0] = 60.0
    assert codes.use_of(late.id) == CodeUse(valid=False)
    assert not codes.use(late.id)


def test_only_so_many_codes_wait() -> None:
    codes = PairingCodes()
    first, *others = [codes.issue() for _ in range(21)]
    assert not codes.use(first.code)
    assert codes.use(others[0].code)


def test_guessing_is_slowed_down_and_says_for_how_long(stranger: Any, code: Any) -> None:
    for _ in range(10):
        assert login(stranger, code="AAAAA-AAAAA").status_code == 401
    for wrong in ({"token": "wrong"}, {"code": "AAAAA-AAAAA"}):
        answer = login(stranger, **wrong)
        assert (answer.status_code, code(answer)) == (429, "too_many_logins")
        assert 0 < int(answer.headers["Retry-After"]) <= 61


def test_a_good_token_is_not_locked_out_by_wrong_ones(app: Any, devices: Devices) -> None:
    _, token = devices.add("phone")
    stranger = app.test_client()
    for _ in range(70):
        login(stranger, token="wrong")
    assert login(app.test_client(), token=TOKEN).status_code == 200
    assert login(app.test_client(), token=token).status_code == 200


def test_guessing_from_many_addresses_is_slowed_down_too() -> None:
    now = [0.0]
    limit = FailureLimit(per_client=5, in_all=20, seconds=60, clock=lambda: now[0])
    for number in range(20):
        limit.check(f"10.0.0.{number}")
        limit.failed(f"10.0.0.{number}")
    with pytest.raises(Exception, match="too many failed logins"):
        limit.check("10.0.1.1")
    now[0] = 60.0
    limit.check("10.0.1.1")


def test_good_logins_are_not_limited(app: Any) -> None:
    for _ in range(15):
        assert login(app.test_client(), token=TOKEN).status_code == 200


def test_an_invitation_that_the_disk_refuses_is_not_there_and_one_that_let_nobody_in_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill_disk: Callable[[], None]
) -> None:
    codes = PairingCodes(tmp_path / "invitations.json")
    anna = Access(Role.WATCH, "Anna")
    issued = codes.issue(anna, 3600)
    fill_disk()
    with pytest.raises(UsageError, match="No space left"):
        codes.use(issued.code)
    with pytest.raises(UsageError, match="No space left"):
        codes.issue(Access(Role.WATCH, "Bob"), 3600)
    assert [each.name for each in codes.invitations()] == ["Anna"]
    monkeypatch.undo()
    assert codes.use(issued.code) == anna
    assert codes.use(issued.code) is None


def test_each_app_has_its_own_codes(app: Any) -> None:
    assert server_of(app).pairing.issue().code
