"""ClawTap adapter for any CLI that asks on its last line: yes or no, a numbered list, a text."""

from clawtap_generic.info import adapter_info
from clawtap_generic.keys import compose, control, respond
from clawtap_generic.screen import detect_prompt, detect_state

__all__ = ["adapter_info", "compose", "control", "detect_prompt", "detect_state", "respond"]
