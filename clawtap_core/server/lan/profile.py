"""The authority as a profile that an iPhone or iPad installs."""

from __future__ import annotations

import plistlib
import uuid

_SPACE = uuid.UUID("7c1d7d0e-2f7b-4a5c-9a0b-5a3c1f6f8e21")


def mobile_config(root: bytes, title: str) -> bytes:
    """Return a configuration profile; the same authority replaces its earlier profile."""
    certificate, profile = (uuid.uuid5(_SPACE, f"{kind} {root.hex()}") for kind in ("root", "all"))
    shared = {"PayloadVersion": 1, "PayloadDisplayName": title, "PayloadOrganization": "ClawTap"}
    content = {
        **shared,
        "PayloadType": "com.apple.security.root",
        "PayloadIdentifier": f"clawtap.root.{certificate}",
        "PayloadUUID": str(certificate).upper(),
        "PayloadCertificateFileName": "clawtap.crt",
        "PayloadContent": root,
    }
    return plistlib.dumps(
        {
            **shared,
            "PayloadType": "Configuration",
            "PayloadIdentifier": f"clawtap.{profile}",
            "PayloadUUID": str(profile).upper(),
            "PayloadDescription": "Lets this device open ClawTap on your own machine.",
            "PayloadRemovalDisallowed": False,
            "PayloadContent": [content],
        }
    )
