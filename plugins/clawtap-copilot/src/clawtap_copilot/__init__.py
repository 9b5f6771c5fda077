"""ClawTap adapter for GitHub Copilot CLI, version 1.0."""

from clawtap_copilot.info import adapter_info
from clawtap_copilot.keys.compose import compose
from clawtap_copilot.keys.control import control
from clawtap_copilot.keys.respond import respond
from clawtap_copilot.launch import launch
from clawtap_copilot.live.hook import live_check
from clawtap_copilot.merge import merge_prompt
from clawtap_copilot.protocol.peer import open_protocol
from clawtap_copilot.screen.prompt import detect_prompt
from clawtap_copilot.screen.state import detect_state
from clawtap_copilot.transcript.parse import parse_transcript
from clawtap_copilot.transcript.sources import describe_transcript, transcript_sources

__all__ = [
    "adapter_info",
    "compose",
    "control",
    "describe_transcript",
    "detect_prompt",
    "detect_state",
    "launch",
    "live_check",
    "merge_prompt",
    "open_protocol",
    "parse_transcript",
    "respond",
    "transcript_sources",
]
