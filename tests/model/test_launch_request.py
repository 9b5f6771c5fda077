"""The arguments of a session that is resumed by its id."""

from __future__ import annotations

import pytest

from clawtap_core import LaunchRequest

OWN = ("--resume", "-r", "--continue", "-c", "resume", "--last")


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        (("--continue", "--verbose"), ("--verbose",)),
        (("--verbose", "-r", "latest", "--debug"), ("--verbose", "--debug")),
        (("-r", "--debug"), ("--debug",)),
        (("--resume=1", "a word"), ("a word",)),
        (("-c", "a word"), ("a word",)),
        (("resume", "--last", "--search"), ("--search",)),
        (("--model", "fast"), ("--model", "fast")),
    ],
)
def test_those_that_choose_a_session_are_left_out(args, kept):
    request = LaunchRequest("toy", "/", args=args)
    assert request.args_beside_resume(OWN) == args
    resumed = LaunchRequest("toy", "/", args=args, resume="north")
    assert resumed.args_beside_resume(OWN) == kept
