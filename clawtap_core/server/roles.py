"""The role that each route needs: its view names it; a view without one is for owners only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from clawtap_core.errors import ErrorCode, Forbidden
from clawtap_core.model import Role

View = TypeVar("View", bound=Callable[..., Any])
_ROLE = "clawtap_role"


def requires(role: Role) -> Callable[[View], View]:
    """Mark a view as open to devices with this role; apply it below `route`."""

    def mark(view: View) -> View:
        setattr(view, _ROLE, role)
        return view

    return mark


def required_role(view: Callable[..., Any]) -> Role:
    """Return the role that a view needs."""
    role: Role = getattr(view, _ROLE, Role.OWNER)
    return role


def check_role(role: Role, needed: Role) -> None:
    """Raise Forbidden if `role` does not include `needed`."""
    if not role.includes(needed):
        raise Forbidden(
            f"this needs the role {needed.value}, and this device has the role {role.value};"
            " ask the owner for an invitation",
            code=ErrorCode.ROLE_NEEDED,
            details={"needed": needed.value, "role": role.value},
        )
