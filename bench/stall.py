"""How long Markdown that is made to hurt keeps everything else waiting.

Run as a program it prints the longest waits in milliseconds, under gevent as in `clawtap serve`:
while texts are rendered, and while nothing is.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from bench.figure import Figure

SIZE = 190_000
_SECTION = 19_000
_HURTING = {
    "brackets": "[",
    "links": "[a](",
    "emphasis": "*a_b **c__d ~~e ",
    "quotes": "> ",
    "mails": "<a@",
    "comments": "<!--",
    "backticks": "` `` ``` ",
    "table": "|`x`|**y**|\n",
    "paragraphs": "*a* `b` [c](d)\n\n",
}
_PYTHON = "```python\n" + "def f(a='x%s', *b): return {1: [2, (3)]}\n" * 220 + "```\n\n"


def stall() -> Figure:
    """Render each text in one greenlet, while another one looks at the clock."""
    command = (sys.executable, "-m", "bench.stall")
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours, idle = map(float, printed.split())
    note = (
        f"{len(_HURTING) + 1} texts of {SIZE // 1000} kB; {idle:.0f} ms while nothing is rendered"
    )
    return Figure("stall", "Markdown made to hurt", ours, 20.0, "ms", 1, note)


def texts() -> list[str]:
    """Return texts of full size; each is cut into sections of the most that is rendered."""
    sections = [(piece * _SECTION)[:_SECTION] + "\n\n" for piece in _HURTING.values()]
    sections += [_PYTHON * (_SECTION // len(_PYTHON))]
    return [(section * (SIZE // len(section)))[:SIZE] for section in sections]


def main() -> None:
    """Print the longest wait of the quietest of three rounds."""
    from gevent import monkey

    monkey.patch_all(queue=False)

    import gevent

    from webui.markup.sanitizer import rich

    def render() -> None:
        rich.cache_clear()
        for text in texts():
            rich(text)

    def longest_wait(work: Callable[[], None]) -> float:
        rendering = gevent.spawn(work)
        longest, before = 0.0, time.monotonic()
        while not rendering.ready():
            gevent.sleep(0.001)
            longest, before = max(longest, time.monotonic() - before), time.monotonic()
        rendering.get()
        return longest

    for work in (render, lambda: gevent.sleep(2)):
        print(1e3 * min(longest_wait(work) for _ in range(3)))


if __name__ == "__main__":
    main()
