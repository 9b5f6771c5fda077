from __future__ import annotations

from clawtap_core.limited_dict import LimitedDict


def test_the_oldest_entry_goes_when_there_is_no_room() -> None:
    latest: LimitedDict[str, int] = LimitedDict(2)
    latest.update({"a": 1, "b": 2})
    latest["a"] = 3
    assert latest.setdefault("c", 4) == 4
    assert list(latest.items()) == [("b", 2), ("c", 4)]
