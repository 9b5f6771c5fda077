"""ClawTap adapter for Qwen Code, versions 0.15 to 0.24."""

from clawtap_qwen.info import adapter_info
from clawtap_qwen.keys.compose import compose
from clawtap_qwen.keys.control import control
from clawtap_qwen.keys.respond import respond
from clawtap_qwen.launch import launch
from clawtap_qwen.live.hook import live_check
from clawtap_qwen.merge import merge_prompt
from clawtap_qwen.protocol.peer import open_protocol
from clawtap_qwen.screen.prompt import detect_prompt
from clawtap_qwen.screen.state import detect_state
from clawtap_qwen.transcript.parse import parse_transcript
from clawtap_qwen.transcript.sources import describe_transcript, transcript_sources

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
