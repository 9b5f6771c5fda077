"""The hook that ClawTap calls, in a thread of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from clawtap_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from clawtap_core.model import Event, Session

log = logging.getLogger(__name__)


@hookimpl
def notify(event: Event, session: Session) -> None:
    """Tell where `notify.toml` says; a notice that fails is logged, without what it holds."""
    import requests

    from clawtap_notify.notices import notice
    from clawtap_notify.sending import send
    from clawtap_notify.wishes import wishes

    told = notice(event, session)
    if told is None:
        return
    try:
        send(told, wishes())
    except requests.RequestException as error:
        status = error.response.status_code if error.response is not None else None
        log.warning("a notice could not be sent: %s", status or type(error).__name__)
