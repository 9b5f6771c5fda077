"""The code of docs/interactive-tools.md, and its file picker, over both transports."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import sys
import threading
from pathlib import Path

import pytest
from fake_terminal import until
from threads import in_thread

from clawtap_core import Response
from clawtap_core.errors import ClawTapError

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "interactive-tools.md").read_text(encoding="utf-8")
EXAMPLE = DOCS / "examples" / "file_picker.py"
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
OF_THE_EXAMPLE = [block for block in BLOCKS if block.startswith("# file_picker.py\n")]
RUN = [block for block in BLOCKS if block not in OF_THE_EXAMPLE]


@pytest.fixture
def person(tap):
    """Somebody who approves of everything that is not to be left alone."""
    over = threading.Event()

    def answer():
        while not over.wait(0.02):
            for prompt in tap.pending():
                if prompt.form.title not in ("Still there?", "What is your name?"):
                    try:
                        tap.approve(prompt.session_id, prompt.request_id)
                    except ClawTapError:
                        continue

    thread = threading.Thread(target=answer)
    thread.start()
    yield
    over.set()
    thread.join(60)


@pytest.fixture
def picker(monkeypatch):
    """The example, as a module."""
    spec = importlib.util.spec_from_file_location("file_picker", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "file_picker", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("print()")
    (folder / "README.md").write_text("# hi")
    (tmp_path / "outside.txt").write_text("secret")
    return folder


def test_the_guide_has_its_chapters():
    assert re.findall(r"^## (.+)$", GUIDE, re.MULTILINE) == [
        "Overview",
        "Architecture",
        "Existing tools",
        "Adding a new tool",
        "Key patterns",
        "Testing",
    ]
    assert re.findall(r"\*\*Step (\d)", GUIDE) == list("1234567")
    for chapter in ("AskUserQuestion", "Tool approval"):
        section = GUIDE.split(f"### {chapter}\n")[1].split("\n#")[0]
        assert re.findall(r"^(\d)\. ", section, re.MULTILINE) == list("123456")


def test_its_index_has_a_row_for_every_page():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"]({name})" not in index} == set()


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target, _, part in re.findall(r"\]\((?!http)([^)#]*)(#([^)]*))?\)", text):
        there = page if not target else page.parent / target
        assert there.exists(), target
        if part and there.suffix == ".md":
            heads = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            plain = (re.sub(r"[^\w\- ]", "", head).strip().lower() for head in heads)
            assert part in {head.replace(" ", "-") for head in plain}, f"{target}#{part}"


def test_the_code_of_the_guide_runs(tap, person, monkeypatch):
    monkeypatch.setattr("clawtap_core.client.HttpTransport", lambda url, token: tap)
    names = {"token": "secret"}
    for block in RUN:
        in_thread(exec, compile(block, "interactive-tools.md", "exec"), names)
    assert names["deploy"] is True
    assert len(RUN) == 9


def test_the_steps_of_the_guide_are_the_example():
    code = EXAMPLE.read_text(encoding="utf-8")
    assert len(OF_THE_EXAMPLE) == 3
    for block in OF_THE_EXAMPLE:
        assert block.removeprefix("# file_picker.py\n") in code


@pytest.mark.parametrize(
    ("answer", "found"),
    [("src/app.py", "src/app.py"), ("README.md", "README.md"), ("../outside.txt", None),
     ("nothing.py", None)],
)  # fmt: skip
def test_a_file_is_picked(tap, picker, project, answer, found):
    def person():
        (prompt,) = until(tap.pending)
        labels = [option.label for option in prompt.form.questions[0].options]
        assert labels == ["README.md", "src/app.py"]
        tap.submit_answers(prompt.session_id, prompt.request_id, {"0": answer})

    thread = threading.Thread(target=person)
    thread.start()
    path = picker.pick_file(tap, project, asker="picker")
    thread.join(60)
    assert path == (project / found if found else None)


def test_no_file_is_picked_when_nobody_answers(tap, picker, project):
    assert picker.pick_file(tap, project, seconds=0.05) is None


@pytest.mark.parametrize(("option", "behavior"), [(None, "allow"), ("none", "deny")])
def test_the_agent_runs_with_the_file(tap, picker, project, option, behavior):
    def person():
        (prompt,) = until(tap.pending)
        answers = {} if option else {"0": "README.md"}
        tap.respond(prompt.session_id, Response(prompt.request_id, option, answers=answers))

    thread = threading.Thread(target=person)
    thread.start()
    decide = picker.with_file_picker(tap, project)
    result = in_thread(asyncio.run, decide("PickFile", {"pattern": "*.md", "n": 1}))
    thread.join(60)
    assert result.behavior == behavior
    if behavior == "allow":
        assert result.updated_input == {
            "pattern": "*.md",
            "n": 1,
            "path": str(project / "README.md"),
        }


def test_other_tools_are_asked_as_before(tap, picker, project, person):
    decide = picker.with_file_picker(tap, project)
    result = in_thread(asyncio.run, decide("Bash", {"command": "ls"}))
    assert (result.behavior, result.updated_input) == ("allow", {"command": "ls"})
