"""How the CLI is started, and who the adapter says it is."""

from __future__ import annotations

from clawtap_gemini.info import adapter_info
from clawtap_gemini.launch import launch

from clawtap_core import Launch, LaunchRequest


def started(**wanted: object) -> Launch:
    found = launch(LaunchRequest("gemini", "/home/me/proj", **wanted))
    assert found is not None
    return found


def test_a_bare_start_has_no_flags() -> None:
    assert started() == Launch(("gemini",))


def test_everything_that_is_set_becomes_a_flag() -> None:
    launched = started(
        message="go", model="pro", permission_mode="auto_edit", resume="latest", args=("--debug",)
    )
    assert launched.argv == (
        *("gemini", "--approval-mode", "auto_edit", "-m", "pro"),
        *("--resume", "latest", "--debug", "-i", "go"),
    )
    assert launched.includes_message


def test_a_message_that_looks_like_a_flag_stays_a_message() -> None:
    assert started(message="--help me").argv == ("gemini", "--prompt-interactive=--help me")


def test_an_unknown_mode_or_channel_cannot_be_started() -> None:
    assert launch(LaunchRequest("gemini", "/", permission_mode="reckless")) is None
    assert launch(LaunchRequest("gemini", "/", channel="hook")) is None


def test_brand_and_capabilities_are_those_of_the_cli() -> None:
    info = adapter_info()
    assert (info.id, info.name, info.provider) == ("gemini", "Gemini", "Google")
    assert (info.brand.color, info.brand.color_bg) == ("#4285f4", "#4285f422")
    assert info.brand.gradient == ("#4285f4", "#1a73e8")
    assert info.brand.glow == "rgba(66,133,244,0.3)"
    assert info.brand.ansi == "34"
    assert info.capabilities.max_context_window == 1_000_000
    assert info.capabilities.permission_mode_type == "cycle"
    names = ("plan_mode", "permission_modes", "interrupt", "resume", "images", "streaming")
    assert all(getattr(info.capabilities, name) for name in names)
    assert info.capabilities.status_line is False
    assert [model.id for model in info.models] == ["auto", "pro", "flash", "flash-lite"]
    modes = [mode.id for mode in info.permission_modes]
    assert modes == ["default", "auto_edit", "plan", "yolo"]
    assert info.effort_levels == ()


def test_over_the_protocol_the_peer_says_what_is_resumed_and_said() -> None:
    request = LaunchRequest("gemini", "/", "hello", channel="protocol", resume="old", model="pro")
    found = launch(request)
    assert found.argv == ("gemini", "--acp", "-m", "pro")
    assert not found.includes_message
