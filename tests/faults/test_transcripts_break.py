"""Transcripts that are huge, junk or cut: they harm only what they say themselves."""

from __future__ import annotations

import os
import random
import time
import uuid
from pathlib import Path

import pytest
from killed_world import KilledWorld
from patience import until

from clawtap_core.testing.leaks import SOCKET_PREFIX, end_server

GIGABYTE = 1 << 30


@pytest.fixture
def chat(nursery, tmp_path):
    """An agent that listens, and its transcript."""
    world = KilledWorld(nursery, tmp_path, SOCKET_PREFIX + uuid.uuid4().hex[:8])
    world.start()
    agent = world.chatting("chat")
    agent.rests()
    said(agent, "the first")
    (agent.transcript,) = nursery.home.rglob(f"{session(agent)['cliSessionId']}.jsonl")
    yield agent
    world.server.stop()
    end_server(world.socket)


def session(agent):
    return agent.world.client.get(f"/api/sessions/{agent.id}").body


def said(agent, text):
    """Say something, and see it in the conversation."""
    agent.say(text)
    agent.rests()
    until(lambda: text in texts(agent), 60, lambda: f"{text!r} in {texts(agent)[-300:]}")


def texts(agent):
    return str(agent.world.client.get(f"/api/sessions/{agent.id}/messages").body)


def processor_time(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.long
def test_a_gigabyte_that_is_no_line_is_passed_over_and_costs_nothing_after_that(chat):
    os.truncate(chat.transcript, chat.transcript.stat().st_size + GIGABYTE)
    chat.say("lost at the end of a gigabyte")
    said(chat, "after the gigabyte")
    pid = chat.world.server.pid
    before = processor_time(pid)
    time.sleep(5)  # a time in which it would be read twice
    assert processor_time(pid) - before < 1


@pytest.mark.long
def test_binary_junk_is_left_out(chat):
    with chat.transcript.open("ab") as file:
        file.write(random.Random(1).randbytes(3_000_000) + b"\n")
    said(chat, "after the junk")
    assert chat.world.client.get("/healthz").status == 200


@pytest.mark.long
def test_a_transcript_that_is_cut_while_it_is_read_is_read_from_its_start(chat):
    for number in range(5):
        os.truncate(chat.transcript, 0)
        said(chat, f"after cut {number}")
    chat.transcript.unlink()
    said_without_file = "the file is gone"
    chat.say(said_without_file)
    chat.rests()
    chat.world.audit()
