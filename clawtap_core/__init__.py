"""ClawTap's core: the words, the plugin contract, the pure machines.

Importing it loads neither Flask nor gevent nor any plugin.
"""

from clawtap_core.errors import ClawTapError
from clawtap_core.hookspecs import hookimpl
from clawtap_core.model import *  # noqa: F403
from clawtap_core.model import __all__ as _words

__version__ = "0.1.0"
__all__ = ["ClawTapError", "__version__", "hookimpl", *_words]
