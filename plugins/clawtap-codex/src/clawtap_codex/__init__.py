"""ClawTap adapter for the Codex CLI, versions 0.116 to 0.169: how it looks, how it is answered."""

from clawtap_codex.composing import compose
from clawtap_codex.detecting import detect_prompt
from clawtap_codex.info import adapter_info
from clawtap_codex.launching import launch
from clawtap_codex.responding import respond
from clawtap_codex.revealing import reveal
from clawtap_codex.state import detect_state
from clawtap_codex.steering import control

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
