"""The pages of a machine and of a hub: which machine they are about, what they say without it."""

from __future__ import annotations

import re

import pytest
from fleet_pages import choice, gone
from patience import until
from toy_fleet import meet, prompt_seen, start

from clawtap_core.model import Rule, RuleDecision

pytestmark = pytest.mark.redis


@pytest.mark.parametrize("path", ["/new", "/adopt", "/rules"])
def test_a_page_about_one_machine_offers_the_choice_of_the_others(pair, page_of, path):
    desk, laptop = pair
    pages = page_of(desk)
    assert choice(pages.get(path).text) == (["desk", "laptop"], "desk")
    chosen = pages.get(f"{path}?machine=laptop")
    assert (chosen.status_code, choice(chosen.text)) == (200, (["desk", "laptop"], "laptop"))
    unknown = pages.get(f"{path}?machine=printer")
    assert unknown.status_code == 404
    assert "No such machine" in unknown.text
    gone(desk, laptop)
    assert "Away" in pages.get(path).text


@pytest.mark.parametrize("path", ["/new", "/rules", "/history", "/journal"])
def test_one_machine_alone_offers_no_choice(machine, page_of, path):
    reply = page_of(machine("desk")).get(path)
    assert (reply.status_code, choice(reply.text)) == (200, ([], None))


def test_rules_are_shown_added_and_removed_on_the_machine_that_was_chosen(machine, page_of):
    desk, laptop = machine("desk", start=False), machine("laptop", start=False)
    for each in (desk, laptop):
        each.rules = each.settings.data_dir / "rules.toml"
        each.start()
    meet(desk, laptop)
    pages = page_of(desk)
    laptop.tap.add_rules([Rule("no-tests", RuleDecision.DENY, commands=("npm test",))])
    assert "no-tests" not in pages.get("/rules").text
    html = pages.get("/rules?machine=laptop").text
    forms = re.findall(r'<form method="post" action="(/rules[^"]*)"', html)
    assert len(forms) == 2
    machine_id = laptop.fleet.machine.id
    assert all(form.endswith(f"?machine={machine_id}") for form in forms)
    removed = pages.post(forms[0])
    assert (removed.status_code, removed.location) == (303, f"/rules?machine={machine_id}")
    assert not laptop.tap.rules().rules
    text = '[[rule]]\nname = "no-push"\ndecision = "deny"\ncommands = ["git push"]\n'
    pages.post(forms[1], data={"do": "add", "rules": text})
    assert [one.name for one in laptop.tap.rules().rules] == ["no-push"]
    assert not desk.tap.rules().rules


def test_the_journal_keeps_its_machine_in_all_its_links(pair, page_of, tmp_path):
    desk, laptop = pair
    start(laptop, tmp_path, "theirs")
    html = page_of(desk).get("/journal?machine=laptop&kind=all").text
    named = f"machine={laptop.fleet.machine.id}"
    links = re.findall(r'href="(/journal[^"]*)"', html)  # one of them in the bar of every page
    assert len(links) > 5
    of_all = [link for link in links if "machine=" not in link]
    assert of_all == ["/journal", "/journal?kind=all"]
    assert [link for link in links if named in link and "export" in link]
    assert f'name="machine" value="{laptop.fleet.machine.id}"' in html
    assert f"/journal?kind=all&amp;machine={desk.fleet.machine.id}" in links


def test_a_machine_that_has_gone_leaves_the_form_with_what_was_written(pair, page_of):
    desk, laptop = pair
    pages = page_of(desk)
    laptop_id = gone(desk, laptop)
    shown = pages.get(f"/new?machine={laptop_id}")
    assert shown.status_code == 503
    assert re.search(r'class="notice"[^>]*>.*cannot be reached since', shown.text)
    assert choice(shown.text) == (["desk", "laptop"], "laptop")
    assert 'name="message"' in shown.text
    assert "Start session" not in shown.text
    written = {"adapter": "toy", "cwd": "/tmp", "message": "do it"}
    sent = pages.post(f"/new?machine={laptop_id}", data=written)
    assert sent.status_code == 503
    assert "do it</textarea>" in sent.text
    assert "cannot be reached since" in sent.text
    assert desk.tap.sessions() == []


def test_a_hub_says_who_notifies_in_place_of_controls_that_do_nothing(pair, hub, page_of, tmp_path):
    desk, _ = pair
    view, pages = hub()
    session_id = start(desk, tmp_path, "ours")
    until(lambda: view.mirror.session(session_id))
    html = pages.get("/settings").text
    assert "Each machine sends its own notifications." in html
    for control in ("ct-push", "quiet-from", 'name="grace"'):
        assert control not in html
        assert control in page_of(desk).get("/settings").text
    state = pages.get("/api/push").json
    assert (state["available"], "a hub sends no notifications" in state["reason"]) == (False, True)
    body = {"endpoint": "https://push.example.org/1", "keys": {}}
    assert pages.post("/api/push", json=body).json["code"] == "on_a_hub"
    assert "Mute notifications" not in pages.get(f"/sessions/{session_id}").text
    assert "Mute notifications" in page_of(desk).get(f"/sessions/{session_id}").text


def test_a_hub_is_about_the_first_machine_that_is_online(pair, hub):
    view, pages = hub()
    until(lambda: len(view.mirror.positions()) == 2)
    for path in ("/rules", "/new"):
        assert choice(pages.get(path).text) == (["desk", "laptop"], "desk")


def test_the_pages_of_a_hub_without_redis_say_why(hub, redis_server):
    redis_server.stop()
    view, pages = hub()
    until(lambda: "no Redis answers" in (view.problem or ""))
    why = "cannot be reached: no Redis answers at unix://"
    for path, status in (("/settings", 200), ("/new", 503), ("/history", 503), ("/", 200)):
        reply = pages.get(path)
        assert reply.status_code == status, path
        assert why in reply.text
    # Whoever knows no machine cannot say that nothing waits.
    assert re.search(r'data-when-empty="prompts" hidden', pages.get("/").text)
    redis_server.start()
    until(lambda: view.problem is None)
    home = pages.get("/").text
    assert "No machine is in the fleet; run `clawtap fleet join`" in home
    assert why not in home
    # Nor that there are no sessions.
    assert re.search(r'data-when-empty="sessions" hidden', home)


def test_a_hub_says_that_no_machine_is_online_until_one_is(machine, hub, redis_server):
    desk = machine("desk")
    view, pages = hub()
    until(lambda: view.mirror.positions())
    assert re.search(r'data-when-empty="sessions">', pages.get("/").text)
    desk.sleep()
    until(lambda: not view.online(desk.fleet.machine.id))
    assert "No machine of the fleet is online<" in pages.get("/").text
    redis_server.stop()
    until(lambda: view.problem)
    assert "No machine of the fleet is online: " in pages.get("/").text
    redis_server.start()
    desk.wake()
    until(lambda: view.online(desk.fleet.machine.id))
    assert re.search(r'data-when-empty="prompts">', pages.get("/").text)


def test_a_session_of_a_machine_that_is_away_is_shown_with_its_last_state(
    pair, page_of, tmp_path, redis_server
):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt = prompt_seen(desk, session_id)
    pages = page_of(desk)
    gone(desk, laptop)
    pages.post(f"/sessions/{session_id}/message", data={"message": "wait for me"})
    html = shows_last_state(pages, session_id)
    assert "wait for me" in html
    assert "Waits for laptop until" in html
    assert f'id="prompt-{prompt.request_id}"' in html
    refused = pages.post(
        f"/prompts/{prompt.request_id}/answer", data={"sessionId": session_id, "option": "yes"}
    )
    assert refused.status_code == 503
    assert "cannot be reached since" in refused.text
    assert pages.get(f"/sessions/{session_id}/feed").status_code == 200
    assert pages.get(f"/sessions/{session_id}?message=m1").status_code == 200
    # Without Redis, too.
    redis_server.stop()
    until(lambda: desk.fleet.problem)
    shows_last_state(pages, session_id)


def shows_last_state(pages, session_id):
    page = pages.get(f"/sessions/{session_id}")
    assert page.status_code == 200
    assert "<strong>laptop is away.</strong> What you send waits until it is back" in page.text
    assert 'data-over="away"' in page.text
    assert "The conversation is on laptop." in page.text
    return page.text


def test_a_session_of_another_machine_shows_the_answers_that_it_got(pair, page_of, tmp_path):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "rm build")
    prompt = prompt_seen(desk, session_id)
    laptop.tap.deny(session_id, prompt.request_id, reason="not that one")
    until(lambda: not desk.tap.pending())
    assert "not that one" in page_of(desk).get(f"/sessions/{session_id}").text


def test_a_hub_that_was_started_since_shows_it_too(pair, hub, tmp_path, redis_server):
    desk, laptop = pair
    session_id = start(laptop, tmp_path, "deploy")
    prompt_seen(desk, session_id)
    gone(desk, laptop)
    view, pages = hub()
    until(lambda: view.mirror.session(session_id))
    shows_last_state(pages, session_id)
    assert pages.get("/").status_code == 200
    redis_server.stop()
    until(lambda: view.problem)
    shows_last_state(pages, session_id)


def test_a_hub_without_redis_does_not_say_that_a_session_does_not_exist(hub, redis_server):
    redis_server.stop()
    view, pages = hub()
    until(lambda: "no Redis answers" in (view.problem or ""))
    page = pages.get("/sessions/unknown")
    assert page.status_code == 503
    assert "no Redis answers" in page.text
    redis_server.start()
    until(lambda: view.problem is None)
    assert pages.get("/sessions/unknown").status_code == 404
