"""Commands reach tmux as they are meant, whatever their arguments hold."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from clawtap_core.terminal.command_client import CommandClient
from clawtap_core.terminal.program import Tmux
from clawtap_core.terminal.quoting import Line, line, literal_format, quote


def test_what_means_something_is_written_as_octal():
    assert quote("a b-1") == b'"a b-1"'
    assert quote('~$#;"\\\n{%é') == b'"\\176\\044\\043\\073\\042\\134\\012\\173\\045\\303\\251"'
    assert line(("a", "b"), ("c",)) == Line((b'"a" "b"', b'"c"'))


def test_a_nonce_follows_on_each_command_and_the_last_one_on_its_own_line():
    sent = line(("a", "b"), ("c",)).framed(b"n")
    assert sent == b'"a" "b" ; display-message -p n.1 ; "c"\ndisplay-message -p n.2\n'


def test_a_nul_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        quote("a\0b")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("a", "a"), ("#S", "##S"), ("##", "####"), ("#[x]", "#[x]"), ("##[x]#{y}", "##[x]##{y}")],
)
def test_formats_come_out_as_text(text, escaped):
    assert literal_format(text) == escaped


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    home = tmp_path_factory.mktemp("quoting")
    link = CommandClient(
        Tmux(str(home / "socket"), {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}),
        on_notice=lambda _: None,
        on_lost=lambda: None,
    )
    link.run_exclusive(("start-server",), start=True)
    yield link, home / "buffer"
    link.run_exclusive(("set-option", "-s", "exit-empty", "on"))
    link.close()


@pytest.mark.tmux
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1))
@example("~root")
@example("%if x")
@example("#{pid}#(id)")
@example("\n\r\t\x1b\x7f\x80\x9b")
@example("a;b \\; c \\")
@example("$HOME ${HOME} {x}")
def test_any_argument_arrives_byte_for_byte(link, text):
    commands, file = link
    commands.run(("set-buffer", "-b", "it", "--", text), ("save-buffer", "-b", "it", str(file)))
    assert file.read_bytes() == text.encode()
