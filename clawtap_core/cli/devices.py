"""The commands devices, and its list, invite, add and revoke."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from clawtap_core.cli.connection import with_client
from clawtap_core.cli.durations import as_seconds
from clawtap_core.cli.list_by_default import ListByDefault
from clawtap_core.cli.output import (
    as_json,
    dumped,
    echo,
    local_time,
    one_line,
    print_json,
    print_table,
)
from clawtap_core.errors import Conflict, ErrorCode, NotFound
from clawtap_core.model import Device, Invitation, Role

if TYPE_CHECKING:
    from clawtap_core.client.access import Access


def _access(url: str, token: str, verify: bool | str) -> Access:
    from clawtap_core.client.access import Access

    return Access(url, token, verify=verify)


with_access = partial(with_client, make=_access)
role_option = partial(
    click.option, "--role", type=click.Choice([role.value for role in Role]), show_default=True
)


@click.group(cls=ListByDefault)
def devices() -> None:
    """List who has access, invite people, and revoke access."""


@devices.command("list")
@as_json
@with_access
def list_devices(server: Access, as_json: bool) -> None:
    """List devices and open invitations."""
    allowed, invited = server.devices(), server.invitations()
    if as_json:
        print_json({"devices": dumped(allowed), "invitations": dumped(invited)})
        return
    rows = [
        *(_device_row(device) for device in allowed),
        *(_invitation_row(invitation) for invitation in invited),
    ]
    print_table(("ID", "NAME", "ROLE", "KIND", "WHEN"), rows)


@devices.command
@click.argument("name")
@role_option(default=Role.WATCH.value, help="What they may do.")
@click.option(
    "--for", "seconds", callback=as_seconds, default="1h", show_default=True,
    help="How long the link works: 10m, 1h, up to 7d.",
)  # fmt: skip
@as_json
@with_access
def invite(server: Access, name: str, role: str, seconds: float, as_json: bool) -> None:
    """Print a link that lets NAME in once."""
    invited = server.invite(name, Role(role), seconds)
    if as_json:
        print_json(dumped([invited])[0])
        return
    echo(invited.url)
    echo(f"for one login until {local_time(invited.expires_at)}", err=True)
    if invited.advice:
        echo(f"only this machine can open it. {invited.advice}", err=True)
    elif sys.stdout.isatty():
        import segno

        segno.make(invited.url, error="l").terminal(compact=True, border=2)


@devices.command
@click.argument("name")
@role_option(default=Role.OWNER.value, help="What its holder may do.")
@as_json
@with_access
def add(server: Access, name: str, role: str, as_json: bool) -> None:
    """Print a token for the program or device NAME; it is shown only now."""
    device, token = server.add(name, Role(role))
    if as_json:
        print_json({"device": dumped([device])[0], "token": token})
    else:
        echo(token)


@devices.command
@click.argument("device", metavar="NAME|ID")
@with_access
def revoke(server: Access, device: str) -> None:
    """Revoke a device or an open invitation."""
    holder = _named(device, [*server.devices(), *server.invitations()])
    if isinstance(holder, Invitation):
        server.cancel(holder.id)
    else:
        server.revoke(holder.id)
    echo(f"revoked: {one_line(holder.name)}")


def _named(name: str, holders: Sequence[Device | Invitation]) -> Device | Invitation:
    by_id = [holder for holder in holders if name and holder.id.startswith(name)]
    matches = [holder for holder in holders if holder.name == name] or by_id
    if not matches:
        raise NotFound(f"no such device: {name!r}", code=ErrorCode.DEVICE_NOT_FOUND)
    if len(matches) > 1:
        ids = ", ".join(holder.id for holder in matches)
        raise Conflict(f"{name!r} matches several devices: {ids}", code=ErrorCode.AMBIGUOUS_ID)
    return matches[0]


def _device_row(device: Device) -> tuple[str, ...]:
    used = f"used {local_time(device.last_used)}" if device.last_used else "not used yet"
    return device.id, one_line(device.name), device.role.value, device.kind, used


def _invitation_row(invitation: Invitation) -> tuple[str, ...]:
    until = f"until {local_time(invitation.expires_at)}"
    return invitation.id, one_line(invitation.name), invitation.role.value, "invitation", until
