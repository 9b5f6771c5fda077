"""How the tests start Chromium."""

from __future__ import annotations

import shutil

WHOLE = shutil.which("chromium")
# Chromium without windows and notifications: it loads a page in half the time.
FASTEST = shutil.which("chromium-headless-shell") or WHOLE


# A second --disable-features takes the place of Playwright's own, so what that has is here, too.
_OF_PLAYWRIGHT = (
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *("HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints"),
    *("NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"),
)
# What drops down from the address bar is a page of its own in every window, which nobody sees here
# and which takes more processor time than ours.
_ADDRESS_BAR = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup")

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
    *("--disable-component-update", "--disable-sync"),
    f"--disable-features={','.join((*_OF_PLAYWRIGHT, *_ADDRESS_BAR))}",
)
