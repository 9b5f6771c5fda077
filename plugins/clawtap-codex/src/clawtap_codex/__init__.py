"""The ClawTap adapter for the Codex CLI, versions 0.116 to 0.169."""

from clawtap_codex.cli_hooks.config import hook_config
from clawtap_codex.cli_hooks.merge import merge_prompt
from clawtap_codex.cli_hooks.parse import parse_hook
from clawtap_codex.info import adapter_info
from clawtap_codex.keys.compose import compose
from clawtap_codex.keys.control import control
from clawtap_codex.keys.respond import respond
from clawtap_codex.keys.reveal import reveal
from clawtap_codex.launch import launch
from clawtap_codex.live.hook import live_check
from clawtap_codex.protocol import open_daemon, open_protocol
from clawtap_codex.screen.prompt import detect_prompt
from clawtap_codex.screen.state import detect_state
from clawtap_codex.transcript.parse import parse_transcript
from clawtap_codex.transcript.sources import describe_transcript, transcript_sources

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
    "open_daemon",
    "open_protocol",
    "parse_hook",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
