"""The difference of two texts by lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_CONTEXT = 3
_Opcode = tuple[str, int, int, int, int]
# From this length on `SequenceMatcher` takes frequent lines for junk and calls them changed.
_WITH_JUNK = 200


class _Matcher(SequenceMatcher[str]):
    """Compares what a long text calls changed once more, by itself."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        self._old, self._new = old, new

    def get_opcodes(self) -> list[_Opcode]:  # type: ignore[override]
        opcodes: list[_Opcode] = []
        for opcode in self._refined():
            tag, i1, i2, j1, j2 = opcode
            if opcodes and tag == opcodes[-1][0] == "equal":
                _, i1, _, j1, _ = opcodes.pop()
            opcodes.append((tag, i1, i2, j1, j2))
        return opcodes

    def _refined(self) -> Iterator[_Opcode]:
        for tag, i1, i2, j1, j2 in super().get_opcodes():
            if tag != "replace" or max(i2 - i1, j2 - j1) >= _WITH_JUNK:
                yield tag, i1, i2, j1, j2
                continue
            part = SequenceMatcher(None, self._old[i1:i2], self._new[j1:j2])
            for again, a1, a2, b1, b2 in part.get_opcodes():
                yield again, i1 + a1, i1 + a2, j1 + b1, j1 + b2


def unified_diff(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Yield the hunks of a unified diff, without the names of files."""
    for group in _Matcher(old, new).get_grouped_opcodes(_CONTEXT):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@"
        for tag, a1, a2, b1, b2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a1:a2])
            else:
                yield from (f"-{line}" for line in old[a1:a2])
                yield from (f"+{line}" for line in new[b1:b2])


def _range(start: int, end: int) -> str:
    # An empty range is named by the line before it.
    return f"{start + (end > start)},{end - start}"
