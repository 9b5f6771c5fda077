"""Which program runs in a pane, when tmux only says `node` or `python3`."""

from __future__ import annotations

import pytest

from clawtap_core.terminal.program_names import is_interactive_shell, program_names


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        ("node /usr/bin/gemini", "gemini"),
        ("node --no-warnings=DEP0040 --max-old-space-size=4096 /usr/bin/gemini -p", "gemini"),
        ("node -r ./preload.js --import x.mjs /opt/bin/qwen", "qwen"),
        ("/usr/bin/node /usr/lib/node_modules/@openai/codex/bin/codex.js", "codex"),
        ("node /usr/lib/node_modules/@github/copilot/index.js", "copilot"),
        ("bun run /home/a/opencode.ts", "opencode"),
        ("/usr/bin/python3.12 -W ignore /home/a/.local/bin/aider", "aider"),
        ("python3 -m aider --model x", "aider"),
        ("/home/a/.local/bin/kimi", "kimi"),
        ("node /usr/lib/node_modules/@moonshot-ai/kimi-code/dist/main.mjs", "kimi-code"),
    ],
)
def test_a_script_is_known_by_its_file_or_its_package(argv: str, name: str) -> None:
    assert name in program_names("MainThread", argv.split())


@pytest.mark.parametrize(
    "argv",
    [
        "vim claude",
        "less /usr/bin/codex",
        "node -e gemini",
        "python3 notes.py claude",
        "sh -c claude",
        "tail -f codex",
    ],
)
def test_a_file_that_a_program_was_given_is_not_the_program(argv: str) -> None:
    names = program_names(argv.split()[0], argv.split())
    assert not names & {"claude", "codex", "gemini"}


def test_a_program_whose_arguments_cannot_be_read_has_its_own_name() -> None:
    assert program_names("/usr/bin/claude", ()) == {"claude"}
    assert "node" in program_names("node", ("node", "-m"))


@pytest.mark.parametrize("argv", ["bash", "-zsh", "/bin/sh -i", "fish --login", "-nu"])
def test_a_shell_that_waits_for_commands_is_told_from_one_that_runs_a_script(argv: str) -> None:
    assert is_interactive_shell(argv.split())
    assert not is_interactive_shell([*argv.split(), "install.sh"])


@pytest.mark.parametrize("argv", ["", "bash -c claude", "zsh ./agent", "bashful", "python3"])
def test_another_program_is_no_shell(argv: str) -> None:
    assert not is_interactive_shell(argv.split())
