"""ClawTap adapter for OpenCode, versions 1.17 and 1.18."""

from clawtap_opencode.info import adapter_info
from clawtap_opencode.keys.compose import compose
from clawtap_opencode.keys.control import control
from clawtap_opencode.keys.respond import respond
from clawtap_opencode.keys.reveal import reveal
from clawtap_opencode.launch import launch
from clawtap_opencode.live.hook import live_check
from clawtap_opencode.merge import merge_prompt
from clawtap_opencode.protocol.server import open_daemon
from clawtap_opencode.screen.prompt import detect_prompt
from clawtap_opencode.screen.state import detect_state
from clawtap_opencode.transcript.parse import parse_transcript
from clawtap_opencode.transcript.sources import describe_transcript, transcript_sources

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
    "open_daemon",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
