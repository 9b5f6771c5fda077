"""The adapter's hooks, one import each: what the entry point names."""

from clawtap_demo.info import adapter_info
from clawtap_demo.keys.compose import compose
from clawtap_demo.keys.control import control
from clawtap_demo.keys.respond import respond
from clawtap_demo.keys.reveal import reveal
from clawtap_demo.launch import launch
from clawtap_demo.live.hook import live_check
from clawtap_demo.screen.prompt import detect_prompt
from clawtap_demo.screen.state import detect_state
from clawtap_demo.transcript.parse import parse_transcript
from clawtap_demo.transcript.sources import describe_transcript, transcript_sources

__all__ = [
    "adapter_info",
    "compose",
    "control",
    "describe_transcript",
    "detect_prompt",
    "detect_state",
    "launch",
    "live_check",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
