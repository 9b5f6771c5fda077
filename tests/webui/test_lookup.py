"""What partials look up."""

from __future__ import annotations

from types import SimpleNamespace

from clawtap_core.model import AdapterInfo
from webui.rendering import lookup
from webui.rendering.lookup import Lookup


def test_an_adapter_of_a_machine_that_joined_later_is_known(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(lookup, "time", SimpleNamespace(monotonic=lambda: now[0]))
    there = [SimpleNamespace(info=AdapterInfo("one", "One"))]
    reads = []

    class Hub:
        def adapters(self):
            reads.append(now[0])
            return list(there)

    found = Lookup(Hub)
    assert found.adapter("one").name == "One"
    there.append(SimpleNamespace(info=AdapterInfo("two", "Two")))
    # Every row asks: they are not read each time.
    assert found.adapter("two") is None
    now[0] += 4
    assert found.adapter("two").name == "Two"
    assert len(reads) == 2
