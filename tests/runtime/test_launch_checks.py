"""Whether a CLI can be started as requested."""

from __future__ import annotations

import pytest

from clawtap_core import AdapterInfo, Choice, LaunchRequest, hookimpl
from clawtap_core.errors import Impossible
from clawtap_core.host import Host
from clawtap_core.runtime.launch_checks import launchable


class Refusing:
    @hookimpl
    def adapter_info(self):
        return AdapterInfo("mine", "Mine", permission_modes=(Choice("plan", "Plan"),))

    @hookimpl
    def launch(self, request):
        return None


def test_an_adapter_that_refuses_a_start_names_what_was_asked_for(tmp_path):
    host = Host()
    host.add(Refusing(), "mine")
    request = LaunchRequest("mine", str(tmp_path), model="big", permission_mode="plan")
    with pytest.raises(Impossible) as caught:
        launchable(host.adapter("mine"), request, {})
    assert caught.value.message == (
        "Mine cannot be started with the model 'big', the permission mode 'plan'"
    )
