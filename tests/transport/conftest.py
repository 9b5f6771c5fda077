"""One runtime, reached in every way."""

import pytest
from both_transports import desk, fleet, http, tap
from fake_terminal import Toy, until
from private_redis import redis_server

from clawtap_core import LaunchRequest

__all__ = ["desk", "fleet", "http", "redis_server", "tap"]


@pytest.fixture
def toy(tap, desk, tmp_path):
    """A session whose CLI asks as a test wants."""
    program = desk.terminal.program = Toy()
    desk.session_id = tap.start(LaunchRequest("toy", str(tmp_path))).id
    until(lambda: tap.session(desk.session_id).state.value == "idle")

    def ask(*what):
        program.asks.extend(what)
        desk.show()
        return until(lambda: next(iter(tap.pending(desk.session_id)), None))

    program.ask = ask
    program.session, program.show = desk.session_id, desk.show
    return program
