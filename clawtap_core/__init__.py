"""ClawTap's core: the words, the plugin contract, the pure machines.

Importing it loads neither Flask nor gevent nor any plugin, and the words only when they are used:
`clawtap --help` and the completion of a shell need none.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from clawtap_core.errors import ClawTapError
    from clawtap_core.hookspecs import hookimpl
    from clawtap_core.model import *  # noqa: F403
    from clawtap_core.model import __all__ as _words

    __all__ = ["ClawTapError", "__version__", "hookimpl", *_words]
else:
    _ELSEWHERE = {"ClawTapError": "errors", "hookimpl": "hookspecs"}

    def __getattr__(name: str) -> object:
        """Return a word, or the list of them all."""
        word = getattr(import_module(f"{__name__}.{_ELSEWHERE.get(name, 'model')}"), name)
        if name == "__all__":
            word = [*_ELSEWHERE, "__version__", *word]
        globals()[name] = word
        return word
