"""The inbox at work: cards of a screen's height, grouped, with what was answered below."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from patience import until
from taps import tap

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

PHONE_HEIGHT = 844
OPTIONS = [
    {"value": "yes", "label": "Yes", "effect": "allow_once"},
    {"value": "session", "label": "Yes, for this session", "effect": "allow_always"},
    {"value": "no", "label": "No", "effect": "deny"},
]
COMMAND = {
    "type": "permission",
    "title": "Run this command?",
    "toolName": "Bash",
    "toolInput": {"command": "\n".join(f"rm -f build/part-{n}.bin" for n in range(300))},
    "options": OPTIONS,
}
EDIT = {
    "type": "permission",
    "title": "Edit app.py?",
    "toolName": "Edit",
    "toolInput": {
        "file_path": "src/app.py",
        "old_string": "\n".join(f"line {n}" for n in range(60)),
        "new_string": "\n".join(f"row {n}" for n in range(60)),
        "replace_all": True,
    },
    "options": OPTIONS,
}
# So long that a page does not have all of it at first.
LONG_EDIT = {
    **EDIT,
    "toolInput": {
        "file_path": "src/app.py",
        "old_string": "\n".join(f"line {n}" for n in range(2000)),
        "new_string": "\n".join(f"row {n}" for n in range(2000)),
    },
}
FORMS: list[dict[str, object] | str] = [COMMAND, EDIT, "plan", "several", "long", "edit", "shell"]


def _ask(served: Any, session: str, form: dict[str, object] | str) -> str:
    do = "ask" if isinstance(form, str) else "ask_wire"
    return str(served.do(do, session=session, form=form))


def test_seven_prompts_take_at_most_eight_phone_screens(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    for form in FORMS:
        _ask(served, session, form)
    page = open_page("phone")
    cards = page.locator("ct-prompt")
    expect(cards).to_have_count(7)
    heights = [card.bounding_box()["height"] for card in cards.all()]
    assert max(heights) <= PHONE_HEIGHT * 1.1, heights
    height = "document.documentElement.scrollHeight"
    until(lambda: page.evaluate(height) <= 8 * PHONE_HEIGHT)


@pytest.mark.parametrize(("form", "lines"), [(COMMAND, 300), (EDIT, 121), (LONG_EDIT, 4001)])
def test_allow_is_live_once_all_lines_were_shown(
    form: dict[str, object], lines: int, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    request = _ask(served, session, form)
    page = open_page("phone")
    card = page.locator(f"#prompt-{request}")
    allow = card.get_by_role("button", name="Yes Once")
    expect(allow).to_be_disabled()
    expect(card.get_by_role("button", name="No Deny")).to_be_enabled()
    expect(card.get_by_text("Read to the end to allow this")).to_be_visible()
    card.focus()
    page.keyboard.press("a")
    expect(card).to_have_attribute("data-state", "pending")
    assert card.locator(".line").count() <= 200
    card.get_by_role("button", name=f"Show all {lines} lines").click()
    expect(allow).to_be_enabled()
    if form is LONG_EDIT:
        expect(card.locator(".line")).to_have_count(4000)
        expect(card.locator(".line").last).to_contain_text("row 1999")
    # What was read stays open when the card is drawn again; the buttons stay in reach.
    served.do("redraw", prompt=request)
    page.wait_for_timeout(300)
    expect(card.locator("ct-fold[data-folded]")).to_have_count(0)
    expect(allow).to_be_in_viewport()
    allow.click()
    page.locator(f"#prompt-{request} .outcome").wait_for()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_a_long_text_has_the_room_of_the_answers_that_are_not_wanted_yet(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    request = _ask(served, session, COMMAND)
    page = open_page(size)
    card = page.locator(f"#prompt-{request}")
    answers = card.locator(".card-answers")
    allow = card.get_by_role("button", name="Yes Once")
    deny = card.get_by_role("button", name="No Deny")
    session_wide = card.get_by_role("button", name="Yes, for this session")
    card.get_by_role("button", name=re.compile("Show all .*lines")).click()
    page.mouse.wheel(0, 1500)
    until(lambda: answers.bounding_box()["height"] < 90)
    for button in (allow, deny, card.locator(".more-answers > summary")):
        expect(button).to_be_in_viewport(ratio=1)
        assert button.bounding_box()["height"] >= 44
    assert allow.bounding_box()["y"] == deny.bounding_box()["y"]
    expect(card.get_by_text("Say why (optional)")).to_be_hidden()
    # A key never presses what is not shown.
    card.evaluate("(one) => one.focus({ preventScroll: true })")
    page.keyboard.press("2")
    expect(session_wide).to_be_visible()
    expect(card).to_have_attribute("data-state", "pending")
    card.get_by_text("Say why (optional)").click()
    card.get_by_label("Reason").fill("not the caches")
    served.do("redraw", prompt=request)
    page.wait_for_timeout(300)
    expect(card.get_by_label("Reason")).to_have_value("not the caches")
    card.locator(".more-answers").get_by_text("Less").click()
    expect(session_wide).to_be_hidden()
    deny.click()
    page.locator(f"#prompt-{request} .outcome").wait_for()
    assert "not the caches" in str(served.said()[-1])


COVERS = """(card) => {
  const text = card.querySelector('.fold > :first-child').getBoundingClientRect();
  return text.bottom - card.querySelector('.card-answers').getBoundingClientRect().top;
}"""


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_the_answers_cover_no_text_that_fits(
    size: str, open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    plan = "# Move the shop\n\n" + "\n".join(f"{n}. Move table {n}" for n in range(1, 11))
    form = {"type": "plan", "title": "Ready?", "description": plan + "\n" * 5, "options": OPTIONS}
    request = _ask(served, session, {**form, "textInput": {"placeholder": "Say what to change"}})
    page = open_page(size, path=f"/sessions/{session}")
    card = page.locator(f"#prompt-{request}")
    if size == "phone":
        card.locator(".fold").evaluate(
            "(fold) => (fold.firstElementChild.style.maxHeight = 'none')"
        )
    card.locator(".fold[data-fits]").wait_for(state="attached")
    until(lambda: card.evaluate(COVERS) <= 0)


def test_large_text_on_a_phone_is_not_covered_by_its_answers(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    request = _ask(served, session, COMMAND)
    page = open_page("phone", path=f"/sessions/{session}")
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    card = page.locator(f"#prompt-{request}")
    until(lambda: card.evaluate(COVERS) <= 0)


def test_a_card_that_begins_at_the_lower_edge_shows_its_head_first(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    _ask(served, session, EDIT)
    request = _ask(served, session, COMMAND)
    page = open_page("phone")
    card = page.locator(f"#prompt-{request}")
    card.evaluate("(one) => scrollTo(0, one.offsetTop - innerHeight + 90)")
    title = card.locator(".card-title")
    expect(title).to_be_in_viewport(ratio=1)
    on_top = """(one) => {
      const { x, y } = one.getBoundingClientRect();
      return one.contains(document.elementFromPoint(x + 9, y + 9));
    }"""
    until(lambda: title.evaluate(on_top))


def test_without_a_script_all_of_it_is_shown(served: Any, chromium: Any) -> None:
    from webdesk.served import TOKEN

    session = served.do("add", title="Shop")
    request = _ask(served, session, COMMAND)
    context = chromium.new_context(java_script_enabled=False)
    try:
        context.request.post(f"{served.url}/api/login", data={"token": TOKEN})
        page = context.new_page()
        page.goto(served.url)
        card = page.locator(f"#prompt-{request}")
        assert card.locator("pre").bounding_box()["height"] > 3000
        expect(card.get_by_role("button", name="Yes Once")).to_be_enabled()
    finally:
        context.close()


def test_prompts_of_one_session_stand_together(open_page: Callable[..., Any], served: Any) -> None:
    first, second = served.do("add", title="One"), served.do("add", title="Two")
    order = [_ask(served, session, "shell") for session in (first, second, first)]
    page = open_page("phone")
    ids = "cards => cards.map((card) => card.dataset.request)"
    cards = page.locator("#prompts > ct-prompt")
    until(lambda: cards.evaluate_all(ids) == [order[0], order[2], order[1]])
    late = [_ask(served, session, "loop") for session in (first, second)]
    sorted_in = [order[0], order[2], late[0], order[1], late[1]]
    until(lambda: cards.evaluate_all(ids) == sorted_in)


def test_what_was_answered_is_a_line_below_what_waits(
    fresh: Any, open_page: Callable[..., Any]
) -> None:
    # "You" needs a server that knows no other device of this name.
    session = fresh.do("add", title="Shop")
    shell, plan = _ask(fresh, session, "shell"), _ask(fresh, session, "plan")
    page = open_page("phone", server=fresh)
    tap(page.locator(f"#prompt-{shell} .choice.allow-once"))
    line = page.locator(f".outcomes #prompt-{shell} .outcome-line")
    expect(line).to_have_text("You allowed git push --force-with-lease origin main · Shop")
    done, waits = page.locator(f".outcomes #prompt-{shell}"), page.locator(f"#prompt-{plan}")
    until(lambda: done.bounding_box()["height"] < 60)
    until(lambda: done.bounding_box()["y"] > waits.bounding_box()["y"])
    fresh.do("answer", prompt=plan, device="Pixel 8")
    line = page.locator(f".outcomes #prompt-{plan} .outcome-line")
    expect(line).to_contain_text("Pixel 8 approved the plan")
    expect(page.get_by_text("All clear")).to_be_visible()


def test_several_questions_are_titled_by_their_number(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    questions = [{"question": f"Question {n}?", "options": [{"label": "A"}]} for n in range(3)]
    form = {"type": "question", "title": "Question 0?", "questions": questions}
    request = _ask(served, session, form)
    page = open_page("phone")
    expect(page.locator(f"#title-{request}")).to_have_text("3 questions")


def test_lines_that_cannot_be_loaded_were_not_read(
    open_page: Callable[..., Any], served: Any
) -> None:
    request = _ask(served, served.do("add", title="Shop"), LONG_EDIT)
    page = open_page("phone", expected="ERR_")
    card = page.locator(f"#prompt-{request}")
    content = card.locator("ct-fold > :first-child")
    content.evaluate("(part) => part.scrollTo(0, part.scrollHeight)")
    page.route("**/lines?*", lambda route: route.abort())
    card.get_by_role("button", name="Show all 4001 lines").click()
    page.get_by_text("The other lines could not be loaded").wait_for()
    allow = card.get_by_role("button", name="Yes Once")
    expect(allow).to_be_disabled()
    page.unroute("**/lines?*")
    card.get_by_role("link", name="3,801 more lines").click()
    expect(allow).to_be_enabled()


@pytest.mark.parametrize("form", [COMMAND, EDIT], ids=["command", "edit"])
def test_allow_is_live_once_it_was_scrolled_to_its_end(
    form: dict[str, object], open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    request = _ask(served, session, form)
    page = open_page("phone")
    card = page.locator(f"#prompt-{request}")
    content = card.locator("ct-fold > :first-child")
    allow = card.get_by_role("button", name="Yes Once")
    content.evaluate("(part) => part.scrollTo(0, 200)")
    page.wait_for_timeout(200)
    expect(allow).to_be_disabled()
    content.evaluate("(part) => part.scrollTo(0, part.scrollHeight)")
    expect(allow).to_be_enabled()
    # It stays where it is read, and its buttons in reach.
    expect(card.locator("ct-fold[data-folded]")).to_have_count(1)
    expect(allow).to_be_in_viewport()


def _shell(command: str, tool: str = "Bash") -> dict[str, object]:
    return {**COMMAND, "toolName": tool, "toolInput": {"command": command}}


def test_what_a_command_does_is_marked_and_its_button_is_not_green(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add", title="Shop")
    risky = _ask(served, session, _shell("cd .. && sudo rm -rf build; git push -f"))
    calm = _ask(served, session, _shell("echo 'sudo rm -rf /'"))
    page = open_page("phone")
    marks = page.locator(f"#prompt-{risky} .risks li")
    expect(marks).to_have_text(["Runs as root", "Force-pushes", "Deletes", "Leaves the project"])
    expect(page.locator(f"#prompt-{calm} .risks")).to_have_count(0)
    colour = "(button) => getComputedStyle(button).backgroundColor"
    allow = "#prompt-{} .choice.allow-once"
    assert page.locator(allow.format(risky)).evaluate(colour) != page.locator(
        allow.format(calm)
    ).evaluate(colour)


def test_several_of_one_tool_are_allowed_together_each_one_listed(
    open_page: Callable[..., Any], served: Any
) -> None:
    session, other = served.do("add", title="Shop"), served.do("add", title="Api")
    commands = [_ask(served, session, _shell(f"make part-{n}")) for n in range(3)]
    alone = [
        _ask(served, session, _shell("make docs", tool="Other")),
        _ask(served, session, _shell("rm -rf build")),
        _ask(served, session, COMMAND),
        _ask(served, other, _shell("make part-9")),
    ]
    page = open_page("phone")
    offer = page.locator("[data-together]:visible")
    expect(offer).to_have_text("Allow these 3 once…")
    offer.click()
    listed = page.locator("dialog .confirm-list li")
    expect(listed).to_have_count(3)
    for number in range(3):
        expect(listed.nth(number)).to_contain_text(f"make part-{number}")
    page.get_by_role("button", name="Allow 3 once").click()
    for request in commands:
        expect(page.locator(f"#prompt-{request} .outcome.done")).to_have_count(1)
    for request in alone:
        expect(page.locator(f"#prompt-{request}")).to_have_attribute("data-state", "pending")


def test_what_was_answered_elsewhere_meanwhile_is_said_of_those_allowed_together(
    open_page: Callable[..., Any], served: Any
) -> None:
    session = served.do("add")
    requests = [_ask(served, session, _shell(f"make part-{n}")) for n in range(3)]
    page = open_page("phone")
    page.locator("[data-together]:visible").click()
    page.locator("dialog .confirm-list li").nth(2).wait_for()
    served.do("elsewhere", prompt=requests[1])
    page.get_by_role("button", name="Allow 3 once").click()
    expect(page.locator(".toast")).to_contain_text("Allowed 2 of 3. 1 not: ")
    for request in (requests[0], requests[2]):
        expect(page.locator(f"#prompt-{request} .outcome.done")).to_have_count(1)


def test_each_session_that_waits_is_one_tap_away(
    open_page: Callable[..., Any], served: Any
) -> None:
    first, second = served.do("add", title="One"), served.do("add", title="Two")
    for session in (first, first, second):
        last = _ask(served, session, "plan")
    page = open_page("phone")
    links = page.get_by_role("navigation", name="Waiting sessions").get_by_role("link")
    expect(links).to_have_text(["One 2", "Two"])
    links.nth(1).click()
    expect(page.locator(f"#title-{last}")).to_be_in_viewport()


@pytest.mark.parametrize("size", ["phone", "desk"])
def test_sessions_of_one_name_are_told_apart_by_their_folders(
    size: str, open_live: Callable[..., Any], served: Any
) -> None:
    title = "Fix the login of the shop, and the tests that go with it"
    for folder in ("red", "blue"):
        session = served.do("add", title=title, cwd=f"/home/me/{folder}")
        _ask(served, session, "shell")
    _ask(served, served.do("add", title="Other", cwd="/home/me/green"), "shell")
    page = open_live(size)
    links = page.locator("[data-jumps] a")
    expect(links).to_have_text([f"me/red · {title}", f"me/blue · {title}", "Other"])
    folder = "(span) => getComputedStyle(span, '::before').content"
    names = page.locator("#prompts .card-session > [data-folder]")
    shown = [names.nth(at).evaluate(folder) for at in range(3)]
    assert ["me/red" in shown[0], "me/blue" in shown[1], shown[2]] == [True, True, "none"]
    _ask(served, served.do("add", title="Other", cwd="/home/me/grey"), "shell")
    until(lambda: "me/green" in names.nth(2).evaluate(folder))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_way_back_to_what_waits_covers_no_link_at_the_end_of_the_page(
    open_live: Callable[..., Any], served: Any
) -> None:
    for number in range(12):
        session = served.do("add", title=f"Session {number}")
        served.do("ask", session=session, form="shell")
    phone = open_live("phone")
    phone.evaluate("scrollTo(0, 1e6)")
    pill = phone.locator(".more-pill")
    expect(pill).to_be_visible()
    last = phone.locator(".side-nav a").last.bounding_box()
    assert last["y"] + last["height"] <= pill.bounding_box()["y"]


def test_many_sessions_that_wait_make_a_phone_scroll_only_up_and_down(
    open_page: Callable[..., Any], served: Any
) -> None:
    for number in range(8):
        _ask(served, served.do("add", title=f"Measure the checkout of shop {number}"), "edit")
    page = open_page("phone")
    expect(page.locator("[data-jumps] a")).to_have_count(8)
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
