"""ClawTap adapter for Gemini CLI, versions 0.34 to 0.61: how it looks and how it is answered."""

from clawtap_gemini.composing import compose
from clawtap_gemini.detecting import detect_prompt
from clawtap_gemini.hooking import hook_config, merge_prompt, parse_hook
from clawtap_gemini.info import adapter_info
from clawtap_gemini.launching import launch
from clawtap_gemini.parsing import parse_transcript
from clawtap_gemini.responding import respond
from clawtap_gemini.revealing import reveal
from clawtap_gemini.speaking import open_protocol
from clawtap_gemini.state import detect_state
from clawtap_gemini.steering import control
from clawtap_gemini.transcripts import describe_transcript, transcript_sources

__all__ = [
    "adapter_info",
    "compose",
    "control",
    "describe_transcript",
    "detect_prompt",
    "detect_state",
    "hook_config",
    "launch",
    "merge_prompt",
    "open_protocol",
    "parse_hook",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
