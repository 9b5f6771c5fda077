"""`clawtap devices`: people are invited, let in and shut out from a shell."""

from __future__ import annotations

import json

import pytest
import requests
from click.testing import CliRunner
from served_process import TOKEN

from clawtap_core.cli.app import cli


@pytest.fixture
def url(http):
    return http._api.url


@pytest.fixture
def shell(url, isolated_home, monkeypatch):
    monkeypatch.setenv("CLAWTAP_TOKEN", TOKEN)

    def run(*arguments):
        done = CliRunner().invoke(cli, ("devices", *arguments), env={"CLAWTAP_URL": url})
        return done.exit_code, done.stdout, done.stderr

    return run


def log_in(url, link):
    return requests.post(f"{url}/api/login", json={"code": link.partition("#pair=")[2].strip()})


def test_a_person_is_invited_listed_let_in_and_revoked(shell, url, desk):
    status, link, more = shell("invite", "Anna", "--role", "answer", "--for", "2h")
    assert (status, link.partition("#")[0]) == (0, f"{url}/login")
    assert more.startswith("for one login until ")
    listed = shell()[1]
    assert [line.split()[1:4] for line in listed.splitlines()[1:]] == [
        ["local", "owner", "owner"],
        ["Anna", "answer", "invitation"],
    ]
    assert log_in(url, link).json()["device"]["role"] == "answer"
    assert [each["name"] for each in json.loads(shell("list", "--json")[1])["devices"]] == [
        "local",
        "Anna",
    ]
    assert shell("revoke", "Anna") == (0, "revoked: Anna\n", "")
    told = [event for event in desk.journal.read(limit=100) if event.data.get("name") == "Anna"]
    assert [event.type for event in told] == [
        "invitation_added", "device_added", "device_removed"
    ]  # fmt: skip


def test_an_invitation_is_revoked_by_its_id_or_its_name(shell, url):
    links = [shell("invite", name)[1] for name in ("Anna", "Bob")]
    (first, _) = json.loads(shell("--json")[1])["invitations"]
    assert shell("revoke", first["id"][:8]) == (0, "revoked: Anna\n", "")
    assert shell("revoke", "Bob")[0] == 0
    assert [log_in(url, link).status_code for link in links] == [401, 401]


def test_a_token_for_a_program_is_printed_once(shell, url):
    status, token, _ = shell("add", "ci", "--role", "watch")
    bearer = {"Authorization": f"Bearer {token.strip()}"}
    assert status == 0
    assert requests.get(f"{url}/api/sessions", headers=bearer).status_code == 200
    assert requests.get(f"{url}/api/devices", headers=bearer).status_code == 403
    assert token.strip() not in shell("--json")[1]


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("invite",), 2, "Missing argument 'NAME'"),
        (("invite", "Anna", "--role", "king"), 2, "'king' is not one of"),
        (("invite", "Anna", "--for", "soon"), 2, "'soon' is not a duration"),
        (("invite", "Anna", "--for", "5s"), 1, "seconds: Must be greater than or equal to 60"),
        (("invite", "Anna", "--for", "30d"), 1, "(bad_request)"),
        (("invite", ""), 1, "(bad_request)"),
        (("revoke", "nobody"), 1, "no such device: 'nobody' (device_not_found)"),
        (("revoke", ""), 1, "(device_not_found)"),
        (("revoke", "local"), 1, "the owner's token cannot be revoked"),
    ],
)
def test_what_cannot_be_is_said(shell, arguments, status, sentence):
    code, told, error = shell(*arguments)
    assert (code, told) == (status, "")
    assert sentence in error


def test_a_name_of_several_devices_revokes_none(shell):
    for _ in range(2):
        shell("add", "ci")
    status, _, error = shell("revoke", "ci")
    assert status == 1
    assert "'ci' matches several devices" in error
    assert len(json.loads(shell("--json")[1])["devices"]) == 3
