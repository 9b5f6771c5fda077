"""ClawTap adapter for Claude Code, versions 2.1.85 to 2.1.330: how it looks and is answered."""

from clawtap_claude.composing import compose
from clawtap_claude.deciding import answer_hook
from clawtap_claude.detecting import detect_prompt
from clawtap_claude.hooking import hook_config, parse_hook
from clawtap_claude.info import adapter_info
from clawtap_claude.launching import launch
from clawtap_claude.merging import merge_prompt
from clawtap_claude.noting import parse_state_file, state_file
from clawtap_claude.parsing import parse_transcript
from clawtap_claude.peer import open_protocol
from clawtap_claude.responding import respond
from clawtap_claude.revealing import reveal
from clawtap_claude.state import detect_state
from clawtap_claude.steering import control
from clawtap_claude.transcripts import describe_transcript, transcript_sources

__all__ = [
    "adapter_info",
    "answer_hook",
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
    "parse_state_file",
    "parse_transcript",
    "respond",
    "reveal",
    "state_file",
    "transcript_sources",
]
