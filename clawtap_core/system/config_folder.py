"""The folder of the user's settings."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_config_path


def own_config_folder() -> Path:
    """Return the folder of the user's own config.toml."""
    return user_config_path("clawtap", appauthor=False)


def config_folder() -> Path:
    """Return the folder of the config.toml in use: the user's own, or the one in CLAWTAP_CONFIG."""
    named = os.environ.get("CLAWTAP_CONFIG")
    return Path(named).expanduser().parent if named else own_config_folder()
