"""ClawTap adapter for Kimi Code, versions 0.30 to 2.1."""

from clawtap_kimi.info import adapter_info
from clawtap_kimi.keys.compose import compose
from clawtap_kimi.keys.control import control
from clawtap_kimi.keys.respond import respond
from clawtap_kimi.launch import launch
from clawtap_kimi.live.hook import live_check
from clawtap_kimi.merge import merge_prompt
from clawtap_kimi.protocol.peer import open_protocol
from clawtap_kimi.screen.prompt import detect_prompt
from clawtap_kimi.screen.state import detect_state
from clawtap_kimi.transcript.parse import parse_transcript
from clawtap_kimi.transcript.sources import describe_transcript, transcript_sources

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
