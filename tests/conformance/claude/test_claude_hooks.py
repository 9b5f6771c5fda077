"""Claude Code with our hooks: one prompt, answered without keys, and the desk never blocked."""

from __future__ import annotations

import os
import random
import shlex
import signal
import threading
import time
from collections.abc import Iterator

import pytest
from clawtap_claude.live import turns
from clilab.desk import Desk, Seat
from clilab.install import versions

VERSIONS = versions("2.1.332", "2.1.85")
DATABASE = turns.choice("Which database?", "PostgreSQL", "SQLite", header="Database")
FEATURES = turns.choice("Which features?", "Login", "Search", "Export", header="F", multi=True)
DEPLOY = turns.choice("Deploy now?", "Yes", "Later", header="Deploy")
CROSSINGS = 20


@pytest.fixture(scope="module", params=VERSIONS)
def hooked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    """One version of the CLI, with hooks as a user installs them."""
    from hooked_testbed import HookedClaude

    testbed = HookedClaude(request.param, tmp_path_factory.mktemp(f"hooked-{request.param}"))
    yield testbed
    testbed.close()


@pytest.fixture(scope="module")
def kept(hooked) -> Iterator[list]:
    held = []
    yield held
    for talk in held:
        talk.leave()


@pytest.fixture
def talk(hooked, kept):
    """An idle session of the shared CLI."""
    if not kept:
        kept.append(hooked.start())
        kept[0].idle(60)
    talk = kept[0]
    yield talk
    try:
        talk.idle(10)
    except AssertionError:
        kept.remove(talk)
        talk.leave()


def by_hook(talk, prompt):
    """Whether the journal says that a hook carried the answer, and no key was pressed for it."""
    reported = [event["data"] for event in talk.journal()]
    mine = [data for data in reported if data.get("requestId") == prompt["requestId"]]
    return any(data.get("via") == "hook" for data in mine) and not any(
        data.get("steps") for data in mine
    )


def whole(talk, prompt):
    """The prompt with what the hook tells of it."""
    talk.until(lambda now: any(each.get("toolInput") for each in talk.pending()))
    # What is known may come of PreToolUse: the hook that waits follows it.
    time.sleep(0.5)
    (found,) = talk.pending()
    assert found["requestId"] == prompt["requestId"]
    return found


def choose(seat, key, *shown):
    """Press a key at the desk until its outcome shows: the CLI drops keys right after a redraw."""
    for _ in range(5):
        seat.press(key)
        try:
            return seat.see(*shown, seconds=3)
        except AssertionError:
            continue
    return seat.see(*shown)


def test_the_session_knows_its_conversation(talk):
    talk.until(lambda now: now.get("cliSessionId"))


def test_a_command_is_allowed_without_a_key(talk):
    prompt = talk.do(turns.shell("touch hooked.txt"))
    found = whole(talk, prompt)
    assert found["toolInput"]["command"] == "touch hooked.txt"
    assert found["toolCallId"]
    reply = talk.post("approve", toolCallId=found["toolCallId"])
    assert (reply.status, reply.body["state"]) == (200, "answered"), reply
    talk.outputs()
    talk.finish()
    assert (talk.cwd / "hooked.txt").exists()
    assert by_hook(talk, prompt)


def test_a_command_that_the_screen_cuts_is_known_whole(talk):
    command = "\n".join(["touch cut.txt", *(f"touch file{at}" for at in range(60))])
    prompt = talk.do(turns.shell(command))
    found = whole(talk, prompt)
    assert found["toolInput"]["command"] == command
    assert command in found["description"]
    assert not found.get("truncated")
    assert talk.approve(prompt).status == 200
    talk.outputs()
    talk.finish()
    assert by_hook(talk, prompt)


def test_a_refusal_ends_the_turn_and_one_with_a_reason_does_not(talk):
    prompt = talk.do(turns.shell("touch no.txt"))
    whole(talk, prompt)
    assert talk.deny(prompt).body["state"] == "denied"
    talk.idle()
    second = talk.do(turns.shell("touch no.txt"))
    whole(talk, second)
    assert talk.deny(second, reason="use a temporary folder").body["state"] == "denied"
    assert "use a temporary folder" in str(talk.outputs())
    talk.finish()
    assert not (talk.cwd / "no.txt").exists()
    assert by_hook(talk, second)


def test_what_only_the_screen_offers_goes_by_keys(talk):
    path = talk.cwd / "edits.txt"
    prompt = talk.do(turns.write(path, "one\n"))
    whole(talk, prompt)
    label = next(o["label"] for o in prompt["options"] if o["effect"] == "allow_always")
    assert talk.approve(prompt, option=label).status == 200
    talk.outputs()
    talk.finish()
    assert not by_hook(talk, prompt)
    talk.post("permission-mode", mode="default")


def test_the_reason_of_an_approval_goes_into_the_field_of_the_terminal(talk):
    prompt = whole(talk, talk.do(turns.shell("touch reasoned.txt")))
    reply = talk.approve(prompt, reason="but keep it small")
    assert reply.status == 200, reply
    talk.outputs()
    assert "but keep it small" in talk.log.user_texts()[-1]
    assert (talk.cwd / "reasoned.txt").exists()
    talk.finish()
    assert not by_hook(talk, prompt)


def test_a_question_is_answered_without_a_key(talk):
    prompt = talk.do(turns.ask(DATABASE))
    whole(talk, prompt)
    assert talk.answer(prompt, {"0": "SQLite"}).status == 200
    assert '"Which database?"="SQLite"' in str(talk.outputs()[-1]).replace("\\", "")
    talk.finish()
    assert by_hook(talk, prompt)


def test_several_questions_are_one_prompt_answered_in_one_go(talk):
    prompt = talk.do(turns.ask(DATABASE, FEATURES, DEPLOY))
    found = whole(talk, prompt)
    assert [each["header"] for each in found["questions"]] == ["Database", "F", "Deploy"]
    reply = talk.answer(prompt, {"0": "SQLite", "1": ["Login", "Export"], "2": "in words"})
    assert reply.status == 200, reply
    output = str(talk.outputs()[-1]).replace("\\", "")
    assert '"Which database?"="SQLite"' in output
    assert '"Which features?"="Login, Export"' in output
    assert '"Deploy now?"="in words"' in output
    talk.finish()
    assert by_hook(talk, prompt)


def test_several_questions_answered_at_the_desk_stay_one_prompt(talk):
    prompt = talk.do(turns.ask(DATABASE, DEPLOY))
    whole(talk, prompt)
    choose(talk.seat, "1", "Deploy now?")
    time.sleep(0.5)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    choose(talk.seat, "1", "Review your answers")
    time.sleep(0.5)
    assert [each["requestId"] for each in talk.pending()] == [prompt["requestId"]]
    choose(talk.seat, "1", talk.end)
    assert talk.resolved(prompt)["state"] == "answered_elsewhere"
    talk.outputs()
    talk.finish()


def test_two_calls_that_read_the_same_are_two_prompts(talk):
    first = talk.do(turns.parallel(["date >> same.txt", "date >> same.txt"]))
    ids = {whole(talk, first)["toolCallId"]}
    assert talk.approve(first).status == 200
    second = talk.prompt()
    ids.add(whole(talk, second)["toolCallId"])
    assert talk.approve(second).status == 200
    talk.outputs(2)
    talk.finish()
    assert len(ids) == 2
    assert len((talk.cwd / "same.txt").read_text().splitlines()) == 2


def crossing(talk, number, *, press, answer):
    """The desk presses a key and a device answers at nearly the same moment, once."""
    name = f"{answer}{number}.txt"
    prompt = talk.do(turns.shell(f"touch {name}"))
    found = whole(talk, prompt)
    replies = []
    device = threading.Thread(
        target=lambda: replies.append(
            talk.approve(prompt) if answer == "approve" else talk.deny(prompt, reason="no, thanks")
        )
    )
    chance = random.Random(f"{talk.testbed.version}{press}{number}")
    desk_first = chance.random() < 0.5
    pause = chance.random() * 0.08
    if desk_first:
        talk.seat.press(press)
        time.sleep(pause)
    device.start()
    if not desk_first:
        time.sleep(pause)
        talk.seat.press(press)
    device.join()
    (reply,) = replies
    ended = talk.resolved(prompt)
    if press == "Escape" and answer == "approve":
        talk.idle()
    else:
        talk.finish()
    # A key that came late stands in the composer, where the person who typed it takes it away.
    talk.seat.press("BSpace")
    shown = (reply.status, ended["state"])
    became = fate(talk, found["toolCallId"])
    ran = (talk.cwd / name).exists()
    if answer == "approve":
        assert shown in {(200, "answered"), (409, "answered_elsewhere")}, (shown, reply)
        # What was allowed and stopped at the desk is an error in 2.1.85. In 2.1.330 it is written
        # like a refusal, also when it was stopped in the moment after it had run.
        assert (ran or became != "cancelled") if shown[0] == 200 else became == "cancelled", shown
    else:
        assert shown in {(200, "denied"), (409, "answered_elsewhere")}, (shown, reply)
        # What a hook refused is an error in 2.1.85.
        assert (became == "success") is (shown[0] == 409), shown
        assert ran is (shown[0] == 409), shown
    return shown[0]


def fate(talk, call):
    """What the CLI itself wrote of a call: the one answer that counted.

    A call that was allowed and then stopped at the desk is one that the user rejected.
    """
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for message in talk.get("/messages?limit=10").body["messages"]:
            for block in message["content"]:
                if block["type"] == "tool_result" and block.get("toolCallId") == call:
                    return block["status"]
        time.sleep(0.1)
    raise AssertionError(f"nothing is known of {call}")


@pytest.mark.timeout(400)
def test_a_refusal_at_the_desk_and_an_approval_never_both_count(talk):
    won = [crossing(talk, n, press="Escape", answer="approve") for n in range(CROSSINGS)]
    print("the device won", won.count(200), "of", len(won))


@pytest.mark.timeout(400)
def test_an_approval_at_the_desk_and_a_refusal_never_both_count(talk):
    won = [crossing(talk, n, press="1", answer="deny") for n in range(CROSSINGS)]
    print("the device won", won.count(200), "of", len(won))


# Outside of the panes that are watched


@pytest.fixture
def editor(hooked) -> Iterator:
    """A terminal that ClawTap cannot see, with the CLI in it."""
    desk = Desk()
    cwd = hooked.project()
    hooked.known.append(cwd)
    hooked.settle()
    hooked.client.get("/healthz")
    seat = desk.open(("claude", "--permission-mode", "default"), cwd, hooked.env)
    seat.see("❯", "shortcuts", seconds=60)
    yield hooked, seat, cwd
    seat.press("C-c", "C-c")
    desk.close()


def elsewhere(testbed, cwd):
    """The session that hooks alone tell of."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        for session in testbed.client.get("/api/sessions").body:
            if session["channel"] == "hook" and session["cwd"] == str(cwd):
                return session
        time.sleep(0.05)
    raise AssertionError("no session")


def waiting(testbed, session):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if found := testbed.client.get(f"/api/sessions/{session['id']}/pending").body:
            return found[0]
        time.sleep(0.05)
    raise AssertionError("no prompt")


def respond(testbed, prompt, **response):
    path = f"/api/sessions/{prompt['sessionId']}/respond"
    return testbed.client.post(path, {"requestId": prompt["requestId"], **response})


def test_a_cli_elsewhere_is_followed_and_answered_by_hooks_alone(editor):
    testbed, seat, cwd = editor
    testbed.model.play(
        turns.shell("touch away.txt"), turns.ask(DATABASE), turns.shell("touch never.txt"), "over"
    )
    seat.say("please go on elsewhere")
    session = elsewhere(testbed, cwd)
    prompt = waiting(testbed, session)
    assert prompt["channel"] == "hook"
    assert prompt["expiresAt"]
    assert respond(testbed, prompt, selectedOption="yes").status == 200
    testbed.model.log.wait(lambda log: len(log.function_responses()) >= 1)
    assert (cwd / "away.txt").exists()
    question = waiting(testbed, session)
    assert respond(testbed, question, answers={"0": "SQLite"}).status == 200
    third = waiting(testbed, session)
    seat.see("never.txt")
    seat.press("Escape")
    end = time.monotonic() + 10
    while testbed.client.get(f"/api/prompts/{third['requestId']}").body["state"] == "pending":
        assert time.monotonic() < end
        time.sleep(0.05)
    ended = testbed.client.get(f"/api/prompts/{third['requestId']}").body
    assert ended["state"] == "answered_elsewhere"
    assert not (cwd / "never.txt").exists()
    said = testbed.client.get(f"/api/sessions/{session['id']}/messages").body
    assert "please go on elsewhere" in str(said)


def test_a_cli_elsewhere_that_is_killed_is_known_to_be_over(hooked):
    desk, cwd = Desk(), hooked.project()
    hooked.known.append(cwd)
    hooked.settle()
    seat = desk.open(("claude", "--permission-mode", "default"), cwd, hooked.env)
    seat.see("❯", "shortcuts", seconds=60)
    process = int(desk.tmux("display-message", "-p", "-t", seat.pane, "#{pane_pid}"))
    hooked.model.play(turns.shell("touch never.txt"))
    seat.say("please go on")
    session = elsewhere(hooked, cwd)
    prompt = waiting(hooked, session)
    time.sleep(1)
    assert hooked.client.get(f"/api/sessions/{session['id']}").body["state"] != "ended"
    os.kill(process, signal.SIGKILL)
    end = time.monotonic() + 5
    while (now := hooked.client.get(f"/api/sessions/{session['id']}").body)["state"] != "ended":
        assert time.monotonic() < end, now
        time.sleep(0.05)
    assert "killed" in now["detail"]
    ended = hooked.client.get(f"/api/prompts/{prompt['requestId']}").body
    assert ended["state"] == "cancelled"
    desk.close()


def test_an_adopted_pane_has_its_hooks(hooked):
    cwd = hooked.project()
    hooked.known.append(cwd)
    hooked.settle()
    hooked.client.get("/healthz")
    given = " ".join(f"{key}={shlex.quote(value)}" for key, value in hooked.env.items())
    command = f'exec env -i TMUX="$TMUX" TMUX_PANE="$TMUX_PANE" {given} claude'
    size = ("-x", "120", "-y", "40")
    made = ("new-session", "-dP", "-F", "#{pane_id}", *size, "-c", str(cwd), "sh", "-c", command)
    seat = Seat(hooked.desk, hooked.desk.tmux(*made).strip())
    seat.see("❯", "shortcuts", seconds=60)
    talk = hooked.adopt(seat.pane, cwd)
    try:
        talk.idle(30)
        talk.until(lambda now: now.get("cliSessionId"))
        prompt = talk.do(turns.shell("touch adopted.txt"))
        whole(talk, prompt)
        assert talk.approve(prompt).status == 200
        talk.outputs()
        talk.finish()
        assert by_hook(talk, prompt)
    finally:
        talk.leave()
        seat.close()


def test_without_the_server_the_cli_goes_on_as_if_there_were_no_hooks(hooked):
    from hooked_testbed import unserved

    cwd = hooked.project()
    hooked.known.append(cwd)
    hooked.settle()
    with unserved(hooked, hooked.settings_file) as desk:
        seat = desk.open(("claude", "--permission-mode", "default"), cwd, hooked.env)
        seat.see("❯", "shortcuts", seconds=60)
        big = "x = 1\n" * 50
        hooked.model.play(
            turns.shell("touch alone.txt"), turns.write(cwd / "big.py", big), "the end"
        )
        seat.say("please work alone")
        seat.see("touch alone.txt", "Yes")
        choose(seat, "1", "big.py", "Yes")
        choose(seat, "1", "the end")
        seat.see_gone("running stop hook")
        assert "hook error" not in seat.text().lower()
        assert (cwd / "alone.txt").exists()
        assert (cwd / "big.py").read_text() == big


def test_uninstall_gives_back_the_settings(hooked):
    from hooked_testbed import hooks

    before = hooked.settings_before
    assert hooked.settings_file.read_bytes() != before
    hooks(hooked, "uninstall", "--adapter", "claude")
    assert hooked.settings_file.read_bytes() == before
    hooks(hooked, "install", "--adapter", "claude")
