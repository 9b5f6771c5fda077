"""The hook that ClawTap calls, in a separate thread."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from clawtap_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from clawtap_core.model import Event, Session

log = logging.getLogger(__name__)


@hookimpl
def notify(event: Event, session: Session) -> None:
    """Send the notice; log a failure without the notice's content."""
    import requests

    from clawtap_notify.http import send
    from clawtap_notify.notices import notice
    from clawtap_notify.settings import load_settings

    message = notice(event, session)
    if message is None:
        return
    try:
        send(message, load_settings())
    except requests.RequestException as error:
        status = error.response.status_code if error.response is not None else None
        log.warning("a notice could not be sent: %s", status or type(error).__name__)
