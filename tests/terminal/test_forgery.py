"""A pane that prints what tmux itself would say is read like any other."""

from __future__ import annotations

import re
import subprocess
import time

import pytest

from clawtap_core.terminal.tmux import TmuxTerminal

pytestmark = pytest.mark.tmux
ROWS, ROUNDS, LOOKS = 100, 40, 40
_REPAINT = "import sys, time\nwhile True:\n  sys.stdout.write('\\033[H' + open(sys.argv[1]).read())"
_REPAINT += "\n  sys.stdout.flush(); time.sleep(0.01)"


def next_number(desk):
    """The number that tmux gives to its next command: anybody can ask for it."""
    client = ["tmux", "-L", desk.socket, "-C", "attach-session", "-t", "honest"]
    said = subprocess.run(client, capture_output=True, check=True, input=b"list-keys -N\n").stdout
    return max(int(found) for found in re.findall(rb"%begin \d+ (\d+) ", said))


def test_no_row_of_a_pane_is_taken_for_the_end_of_a_reply(desk, environment, seen, tmp_path):
    forged = tmp_path / "forged"
    forged.write_text("forged\n")
    size = ("-x", "40", "-y", str(ROWS))
    forger = desk(
        *("new-session", "-dP", "-F", "#{pane_id}", *size, "-s", "forger", "--"),
        *("python3", "-c", _REPAINT, str(forged)),
    )
    honest = desk.new("sh", "-c", "echo honest; exec cat", name="honest")
    terminal = TmuxTerminal(desk.socket, environment=environment)
    try:
        liar, other = terminal.watch(forger, seen), terminal.watch(honest, type(seen)())
        seen.shows("forged")
        wrong, lies = [], 0
        for turn in range(ROUNDS):
            word = ("end", "error")[turn % 2]
            first, now = next_number(desk) + 8, int(time.time())
            # The end of the reply that shows it, and a reply more: the next one would be shifted.
            made_up = ("%begin 1 1 1", "%end 1 1 1")
            ends = [(f"%{word} {now} {first + at} 1", *made_up) for at in range(ROWS // 3)]
            rows = [row for each in ends for row in each]
            forged.write_text("\n".join(rows) + "\n")
            time.sleep(0.03)
            for _ in range(LOOKS):
                shown, honestly = liar.look(), other.look()
                if (shown.rows, honestly.rows) != (ROWS, 24) or "%" in honestly.text:
                    wrong.append((shown, honestly))
                lies += str(first) in shown.text
                assert honestly.captured[0] == "honest"
        assert not wrong
        assert lies > ROUNDS
    finally:
        terminal.close()
