"""ClawTap adapter for the Codex CLI, versions 0.116 to 0.169: how it looks, how it is answered."""

from clawtap_codex.composing import compose
from clawtap_codex.detecting import detect_prompt
from clawtap_codex.hooking import hook_config, merge_prompt, parse_hook
from clawtap_codex.info import adapter_info
from clawtap_codex.launching import launch
from clawtap_codex.parsing import parse_transcript
from clawtap_codex.responding import respond
from clawtap_codex.revealing import reveal
from clawtap_codex.speaking import open_daemon, open_protocol
from clawtap_codex.state import detect_state
from clawtap_codex.steering import control
from clawtap_codex.transcripts import describe_transcript, transcript_sources

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
    "open_daemon",
    "open_protocol",
    "parse_hook",
    "parse_transcript",
    "respond",
    "reveal",
    "transcript_sources",
]
