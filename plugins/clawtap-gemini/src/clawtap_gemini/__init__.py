"""ClawTap adapter for Gemini CLI, versions 0.34 to 0.61."""

from clawtap_gemini.cli_hooks.config import hook_config
from clawtap_gemini.cli_hooks.merge import merge_prompt
from clawtap_gemini.cli_hooks.parse import parse_hook
from clawtap_gemini.info import adapter_info
from clawtap_gemini.keys.compose import compose
from clawtap_gemini.keys.control import control
from clawtap_gemini.keys.respond import respond
from clawtap_gemini.keys.reveal import reveal
from clawtap_gemini.launch import launch
from clawtap_gemini.live.hook import live_check
from clawtap_gemini.protocol.peer import open_protocol
from clawtap_gemini.screen.prompt import detect_prompt
from clawtap_gemini.screen.state import detect_state
from clawtap_gemini.transcript.parse import parse_transcript
from clawtap_gemini.transcript.sources import describe_transcript, transcript_sources

__all__ = [
    "adapter_info",
    "compose",
    "control",
    "describe_transcript",
    "detect_prompt",
    "detect_state",
    "hook_config",
    "launch",
    "live_check",
    "merge_prompt",
    "open_protocol",
    "parse_hook",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
