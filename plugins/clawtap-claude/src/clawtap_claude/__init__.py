"""ClawTap adapter for Claude Code 2.1.85 to 2.1.332."""

from clawtap_claude.cli_hooks.answer import answer_hook
from clawtap_claude.cli_hooks.config import hook_config
from clawtap_claude.cli_hooks.merge import merge_prompt
from clawtap_claude.cli_hooks.parse import parse_hook
from clawtap_claude.info import adapter_info
from clawtap_claude.keys.compose import compose
from clawtap_claude.keys.control import control
from clawtap_claude.keys.respond import respond
from clawtap_claude.keys.reveal import reveal
from clawtap_claude.launch import launch
from clawtap_claude.live.hook import live_check
from clawtap_claude.protocol.peer import open_protocol
from clawtap_claude.screen.prompt import detect_prompt
from clawtap_claude.screen.state import detect_state
from clawtap_claude.state_file import parse_state_file, state_file
from clawtap_claude.transcript.parse import parse_transcript
from clawtap_claude.transcript.sources import describe_transcript, transcript_sources

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
    "live_check",
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
