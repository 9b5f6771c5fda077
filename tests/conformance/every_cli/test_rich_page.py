"""The page over ten real sessions with rich content, on a phone and at a desk."""

from __future__ import annotations

import re

import pytest
from every_cli import VERSIONS
from old_words import OLD_WORDS
from phone_browser import CARD, phone, until
from playwright.sync_api import expect
from rich_sessions import PLACES, SCENES, WAITING, RichSessions

pytestmark = pytest.mark.browser
HEIGHT = 844
SLOW = pytest.mark.timeout(580)
# Keys of the CLIs' tools, as their models write them.
RAW_KEYS = re.compile(
    r"\b(?:replace_all|old_string|new_string|file_path|multiSelect|tool_input|toolInput|justification"
    r"|sandbox_permissions|subagent_type|SwitchMode)\b"
)
FONT = "(part) => parseFloat(getComputedStyle(part).fontSize)"


@pytest.fixture(scope="module", params=VERSIONS[::2], ids="-".join)
def rich(request, tmp_path_factory):
    """The newest version of each CLI."""
    name, version = request.param
    rich = RichSessions(name, version, tmp_path_factory.mktemp(f"{name}-{version}"))
    yield rich
    rich.testbed.close()


@pytest.fixture
def testbed(rich):
    return rich.testbed


@pytest.fixture
def name(rich):
    """Which CLI it is."""
    return rich.name


def open_card(page, rich, name):
    """The card of a session that waits, on the page of all."""
    card = page.locator(f"#prompt-{rich.prompt(name)}:not(.is-guarded)")
    card.wait_for()
    return card


def unfold(card):
    for fold in card.locator(".fold-more:visible").all():
        fold.tap()


@SLOW
@pytest.mark.parametrize("scene", ["command", "edit"])
def test_a_long_prompt_is_allowed_once_it_was_read_to_the_end(testbed, rich, scene):
    rich.prompt(scene)
    with phone(testbed, "/") as page:
        card = open_card(page, rich, scene)
        allow, deny = (card.locator(f".choice.{effect}").first for effect in ("allow-once", "deny"))
        assert not allow.is_enabled()
        assert deny.is_enabled()
        card.evaluate("(card) => card.scrollIntoView({ block: 'start' })")
        bottom = deny.evaluate("(button) => button.getBoundingClientRect().bottom")
        assert bottom <= HEIGHT, "the actions do not stick to the lower edge"
        card.locator("ct-fold > :first-child").first.evaluate("(part) => part.scrollTo(0, 1e6)")
        until(page, allow.is_enabled)
        lines = {"command": 300, "edit": PLACES * 2}[scene]
        shown = card.locator(".fold-more").first.inner_text()
        assert int(re.search(r"\d+", shown)[0]) >= lines


@SLOW
@pytest.mark.parametrize("scene", ["edit", "file"])
def test_a_change_is_a_coloured_diff_and_nothing_is_shown_twice(testbed, rich, scene):
    rich.prompt(scene)
    with phone(testbed, "/") as page:
        card = open_card(page, rich, scene)
        added = card.locator(".diff .line.add")
        assert added.count() >= {"edit": PLACES, "file": 15}[scene]
        if scene == "edit":
            assert card.locator(".diff .line.del").count() >= PLACES
            assert card.locator(".line.add mark").count() >= PLACES
        assert added.locator("span[class]:not(.number, .sign)").count() > 10
        name = {"edit": "prices.py", "file": "taxes.py"}[scene]
        assert card.locator(".diff-path").inner_text().startswith(name)
        prose = "\n".join(
            card.locator(".card-body > .prose, .card-body > * > .prose").all_inner_texts()
        )
        assert "total" not in prose


@SLOW
def test_three_questions_are_titled_by_their_number(testbed, rich):
    rich.prompt("questions")
    with phone(testbed, "/") as page:
        card = open_card(page, rich, "questions")
        until(page, lambda: card.locator(".card-title").inner_text() == "3 questions")
        assert card.locator(".pick:visible").count() >= 3


@SLOW
def test_a_plan_has_its_table_and_its_code(testbed, rich, name):
    rich.prompt("plan")
    with phone(testbed, "/") as page:
        card = open_card(page, rich, "plan")
        unfold(card)
        assert "can be undone" in card.locator(".card-body table").inner_text()
        assert "─" not in card.locator(".card-body").inner_text()
        # Codex shows a plan on the screen only, where nothing marks a block of code.
        assert "`" not in card.locator(".card-body").inner_text()
        code = card.locator(".card-body" if name == "codex" else ".card-body pre")
        assert "INSERT INTO" in code.inner_text()
        assert card.locator(".choice.allow-once").first.is_enabled()


@SLOW
@pytest.mark.parametrize("scene", ["questions", "plan"])
def test_what_a_tool_asks_or_plans_is_in_words(testbed, rich, scene):
    talk = rich.open(scene)
    with phone(testbed, f"/sessions/{talk.id}") as page:
        page.locator(CARD).wait_for()
        page.evaluate("document.querySelectorAll('.tool').forEach((tool) => (tool.open = true))")
        texts = page.locator(".feed-item").all_inner_texts()
        assert texts
        for text in texts:
            assert not RAW_KEYS.search(text)
            assert '": ' not in text


@SLOW
def test_the_asking_agent_and_the_risks_stand_next_to_the_command(testbed, rich, name):
    rich.prompt("agents")
    with phone(testbed, "/") as page:
        card = open_card(page, rich, "agents")
        if name == "claude":
            task = re.compile(r"Subagent: Clean the (build|cache) folder")
            expect(card.locator(".card-origin")).to_have_text(task)
            assert "1 of 2" in card.locator(".card-kind").inner_text()
        assert not re.search(r"\d of \d|agent", card.locator(".card-title").inner_text())
        assert card.locator(".risks li").all_inner_texts()[:2] == ["Runs as root", "Deletes"]
        risks, code = (card.locator(part).first.bounding_box() for part in (".risks", ".code"))
        assert risks["y"] < code["y"]
        fill = "(button) => getComputedStyle(button).backgroundColor"
        red, green, _ = map(
            int, re.findall(r"\d+", card.locator(".choice.allow-once").evaluate(fill))[:3]
        )
        assert red >= green, "allow is as green as what is harmless"


@SLOW
def test_an_unknown_prompt_can_be_read_and_its_keys_pressed(testbed, rich, name):
    rich.prompt("unknown")
    with phone(testbed, "/") as page:
        card = open_card(page, rich, "unknown")
        title = card.locator(".card-title").inner_text()
        assert re.fullmatch(r"(Claude|Codex|Gemini)[\w ]* needs you in the terminal", title)
        card.locator("button[value=y]").scroll_into_view_if_needed()
        screen = card.locator(".screenshot pre.terminal")
        screen.wait_for()  # the terminal is followed once the card is in sight
        assert screen.evaluate(FONT) >= 11
        keys = {
            key: card.locator(f"button[value={key}]").bounding_box()
            for key in ("y", "n", "Up", "Down", "Left", "Right")
        }
        assert keys["y"]["y"] == keys["n"]["y"]
        assert keys["n"]["x"] - keys["y"]["x"] < 80
        assert keys["Up"]["x"] == keys["Down"]["x"]
        assert keys["Left"]["y"] == keys["Down"]["y"] == keys["Right"]["y"]
        assert keys["Left"]["x"] < keys["Down"]["x"] < keys["Right"]["x"]
        if name != "gemini":
            before = screen.inner_text()
            card.locator("button[value=Down]").tap()
            until(page, lambda: screen.inner_text() != before)


@SLOW
def test_a_table_scrolls_and_breaks_no_word(testbed, rich):
    talk = rich.open("table")
    with phone(testbed, f"/sessions/{talk.id}") as page:
        table = page.locator(".feed table").first
        table.wait_for()
        wide = "(part) => document.documentElement.scrollWidth > innerWidth"
        assert not page.evaluate(wide)
        broken = """(cells) => cells.filter((cell) => {
          const range = document.createRange();
          const words = [...(cell.firstChild?.data ?? '').matchAll(/\\S+/g)];
          return words.some(({ 0: word, index }) => {
            range.setStart(cell.firstChild, index);
            range.setEnd(cell.firstChild, index + word.length);
            return range.getClientRects().length > 1;
          });
        }).map((cell) => cell.textContent)"""
        assert table.locator("td, th").evaluate_all(broken) == []
        assert table.locator("td").count() == 15
        assert page.locator(".feed ct-code").first.get_attribute("data-label") == "python"
        assert page.locator(".feed ct-code [data-tool=copy]").first.is_visible()
        assert page.locator(".feed").get_by_text("Measure what we have").is_visible()


@SLOW
def test_a_page_opened_mid_turn_shows_what_was_written(testbed, rich):
    talk = rich.open("busy")
    talk.events.wait("text_delta", where=lambda data: "Step 2" in data["text"], seconds=60)
    with phone(testbed, f"/sessions/{talk.id}") as page:
        page.locator(".streaming-text", has_text="Step 2").wait_for()
        working = page.locator("[data-working] span")
        working.wait_for()
        assert re.fullmatch(r"(Writing|Working), \d+:\d\d", working.inner_text())


@SLOW
def test_the_terminal_is_a_sheet_on_a_phone(testbed, rich):
    talk = rich.open("table")
    with phone(testbed, f"/sessions/{talk.id}") as page:
        stage = page.locator(".stage")
        assert not stage.is_visible()
        page.locator("[data-stage]").tap()
        terminal = stage.locator("pre.terminal")
        terminal.wait_for()
        assert stage.bounding_box()["height"] > HEIGHT * 0.85
        assert terminal.evaluate(FONT) >= 11
        assert terminal.locator("span[class]").count() > 0


@SLOW
def test_the_inbox_of_seven_is_eight_screens_high_at_most_and_ends_all_clear(testbed, rich, name):
    rich.open()
    if name == "codex":
        rich.reopen("questions")  # which Codex answers itself after two minutes
    with phone(testbed, "/") as page:
        cards = page.locator("#prompts > ct-prompt")
        waiting = len(testbed.client.get("/api/pending").body)
        assert waiting == len(WAITING)
        until(page, lambda: cards.count() == waiting)
        heights = [card.bounding_box()["height"] for card in cards.all()]
        assert max(heights) <= HEIGHT * 1.1, heights
        assert page.evaluate("document.documentElement.scrollHeight") <= (waiting + 1) * HEIGHT, (
            heights
        )
        sessions = page.locator("[data-jumps] a")
        assert sessions.count() == waiting
        sessions.last.tap()
        assert cards.last.locator(".card-title").bounding_box()["y"] < HEIGHT
        titles = page.locator("#prompts .card-session").all_inner_texts()
        assert len(set(titles)) == waiting
        assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]
        for text in page.locator("#prompts .card-body").all_inner_texts():
            assert not RAW_KEYS.search(text)
        assert [word for word in OLD_WORDS if word in page.inner_text("body").lower()] == []
        for scene in WAITING:
            if scene != "unknown" and rich.talks[scene].pending():
                refuse(page, rich, scene)
        talk = rich.talks["unknown"]
        page.locator(f"#prompt-{rich.prompt('unknown')} button[value=Escape]").tap()
        talk.idle()
        leave_others(testbed, rich)
        until(page, page.get_by_text("All clear").is_visible)
        lines = page.locator(".outcomes .outcome-line:visible").all_inner_texts()
        assert lines
        assert all(len(line) < 300 for line in lines)
        assert any(re.match(r"You (denied|sent back|declined|answered)", line) for line in lines), (
            lines
        )


def refuse(page, rich, scene):
    """Deny what a session asks, by its card; a plan is sent back."""
    request = rich.prompt(scene)
    page.locator(f"#prompt-{request}:not(.is-guarded)").wait_for()
    # Guarded or not: an earlier card that makes room guards it for a moment between two steps.
    card = page.locator(f"#prompt-{request}")
    deny = card.locator(".choice.deny")
    if scene == "questions":
        answer_questions(card)
    elif deny.count():
        deny.first.tap()
    else:
        for more in card.locator(".more-answers:not([open]) > summary:visible").all():
            more.tap()
        card.locator(".free textarea").fill("not today")
        card.locator(".free .choice").tap()
    page.locator(f"#prompt-{request} .outcome").wait_for(state="attached")


def answer_questions(card):
    """Pick the first option of each question that the card asks."""
    card.locator(".pick:visible").first.tap()
    while card.locator("[data-next]:visible").count():
        card.locator("[data-next]").tap()
        if card.locator(".pick:visible").count():
            card.locator(".pick:visible").first.tap()
    card.locator(".send .choice:visible").tap()


def leave_others(testbed, rich):
    """End what asks again: the second agent, the next question."""
    for scene in WAITING:
        talk = rich.talks[scene]
        talk.until(lambda now: now["pending"] or now["state"] == "idle")
        if talk.pending():
            testbed.client.delete(talk.path)
    assert testbed.client.get("/api/pending").body == []
    assert len(rich.talks) == len(SCENES)
