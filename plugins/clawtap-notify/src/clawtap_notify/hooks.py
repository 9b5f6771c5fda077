"""The hook that ClawTap calls, in a separate thread."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clawtap_core.hookspecs import hookimpl

if TYPE_CHECKING:
    from clawtap_core.model import Event, Notice, NoticeAnswers, Session

log = logging.getLogger(__name__)


@hookimpl
def notify(event: Event, session: Session) -> None:
    """Report what happens to the webhook, at once: a program decides by itself what it shows."""
    from clawtap_notify.notices import report
    from clawtap_notify.settings import load_settings

    settings = load_settings()
    message = report(event, session) if settings.webhook else None
    if message and settings.webhook:
        # Imported only now: it takes longer than a rule may take to answer.
        from clawtap_notify.http import send_webhook

        with _failures_logged():
            send_webhook(message, settings.webhook, settings.link)


@hookimpl
def send_notice(notice: Notice, answers: NoticeAnswers) -> None:
    """Send a notice to ntfy, or withdraw it there."""
    from clawtap_notify.settings import load_settings

    settings = load_settings()
    if settings.ntfy:
        from clawtap_notify.http import send_ntfy

        with _failures_logged():
            send_ntfy(notice, answers, settings.ntfy, settings.link)


@contextmanager
def _failures_logged() -> Iterator[None]:
    """Log a failure without the notice's content."""
    import requests

    try:
        yield
    except requests.RequestException as error:
        status = error.response.status_code if error.response is not None else None
        log.warning("a notice could not be sent: %s", status or type(error).__name__)
