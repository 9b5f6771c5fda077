"""Settings: flags over CLAWTAP_* variables over config.toml over defaults."""

from clawtap_core.config.environment import clean_environment
from clawtap_core.config.loader import is_loopback, load_settings
from clawtap_core.config.settings import Settings
from clawtap_core.config.sources import default_file

__all__ = ["Settings", "clean_environment", "default_file", "is_loopback", "load_settings"]
