"""ClawTap adapter for OpenCode, versions 1.17 and 1.18."""

from clawtap_opencode.info import adapter_info
from clawtap_opencode.keys.compose import compose
from clawtap_opencode.keys.control import control
from clawtap_opencode.keys.respond import respond
from clawtap_opencode.keys.reveal import reveal
from clawtap_opencode.launch import launch
from clawtap_opencode.screen.prompt import detect_prompt
from clawtap_opencode.screen.state import detect_state

__all__ = [
    "adapter_info",
    "compose",
    "control",
    "detect_prompt",
    "detect_state",
    "launch",
    "respond",
    "reveal",
]
