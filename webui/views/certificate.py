"""The page from which a phone installs our certificate: the only page served without TLS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, render_template, request

from clawtap_core.errors import ErrorCode, NotFound
from clawtap_core.server.auth import public
from clawtap_core.server.connections import PLAIN
from clawtap_core.server.context import server
from clawtap_core.server.guards import CERTIFICATE_PAGE, plain_http
from webui.site import page_values
from webui.views import errors

if TYPE_CHECKING:
    from clawtap_core.server.lan.service import Lan

blueprint = Blueprint("webui_certificate", __name__)
errors.install(blueprint)


@blueprint.get(CERTIFICATE_PAGE)
@public
@plain_http
def certificate() -> str:
    """Show how to install the certificate."""
    lan = _lan()
    # The address that the phone used works for it.
    secure = f"https://{request.host}/" if request.environ.get(PLAIN) else "/"
    return render_template(
        "webui/certificate.html",
        **{**page_values(), "signed_in": False, "device_id": ""},
        title=lan.title,
        fingerprint=lan.fingerprint,
        secure=secure,
        agent=request.headers.get("User-Agent", ""),
    )


@blueprint.get(f"{CERTIFICATE_PAGE}/clawtap.crt")
@public
@plain_http
def android() -> Response:
    """Serve the certificate in the form that Android installs."""
    return _download(_lan().root, "application/x-x509-ca-cert", "clawtap.crt")


@blueprint.get(f"{CERTIFICATE_PAGE}/clawtap.pem")
@public
@plain_http
def pem() -> Response:
    """Serve the certificate as PEM, for other browsers and programs."""
    return _download(_lan().root_pem.encode(), "application/x-pem-file", "clawtap.pem")


@blueprint.get(f"{CERTIFICATE_PAGE}/clawtap.mobileconfig")
@public
@plain_http
def apple() -> Response:
    """Serve the certificate as a profile for iPhone and iPad."""
    return _download(_lan().profile, "application/x-apple-aspen-config", "clawtap.mobileconfig")


def _lan() -> Lan:
    lan = server().phones.lan
    if lan is None:
        raise NotFound(
            "this server has no certificate of its own; start it with `clawtap serve --lan`",
            code=ErrorCode.NOT_FOUND,
        )
    return lan


def _download(data: bytes, mimetype: str, name: str) -> Response:
    # A profile is installed only where it is opened, not where it is saved.
    disposition = "inline" if name.endswith(".mobileconfig") else "attachment"
    headers = {"Content-Disposition": f'{disposition}; filename="{name}"'}
    return Response(data, mimetype=mimetype, headers=headers)
