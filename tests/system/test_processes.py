"""What programs print."""

from __future__ import annotations

import sys

from clawtap_core.system.processes import program_output


def test_what_a_program_prints_in_no_encoding_is_read_all_the_same():
    script = "import sys; sys.stdout.buffer.write(b'Caf\\xe9 1.2.3')"
    output = program_output(sys.executable, "-c", script, seconds=30)
    assert output == "Caf\ufffd 1.2.3"
