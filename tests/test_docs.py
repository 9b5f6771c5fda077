"""What the pages for contributors say is what there is."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).parents[1]
PAGES = sorted(CHECKOUT.glob("docs/**/*.md"))
DOCS = [*PAGES, CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
INVARIANTS = (CHECKOUT / "docs" / "invariants.md").read_text()


@pytest.mark.parametrize("reference", re.findall(r"^- (tests/\S+::\w+)$", INVARIANTS, re.MULTILINE))
def test_each_test_that_holds_an_invariant_exists(reference: str) -> None:
    path, _, name = reference.partition("::")
    tree = ast.parse((CHECKOUT / path).read_text())
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(
    "page", sorted((CHECKOUT / "docs").rglob("clis/*.md")), ids=lambda p: p.name
)
def test_each_test_that_the_page_of_a_cli_names_exists(page: Path) -> None:
    folders = (CHECKOUT / "tests", CHECKOUT / "plugins")
    tests = {path.name for folder in folders for path in folder.rglob("test_*.py")}
    named = set(re.findall(r"`(test_\w+\.py)`", page.read_text()))
    assert named
    assert named <= tests


def test_every_invariant_has_a_test() -> None:
    sections = re.split(r"^## ", INVARIANTS, flags=re.MULTILINE)[1:]
    assert len(sections) == 14
    assert [section.split("\n")[0] for section in sections if "\n- tests/" not in section] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_each_link_of_a_page_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_each_link_to_a_heading_finds_it(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text())
    assert [
        f"{target}#{anchor}"
        for target, anchor in links
        if anchor not in anchors(page.parent / target if target else page)
    ] == []


def test_the_sentences_that_clawtap_says_when_something_goes_wrong_are_in_its_code() -> None:
    rows = re.findall(r"^\| (.*?) \| ", (CHECKOUT / "docs" / "faq.md").read_text(), re.MULTILINE)
    quoted = [re.fullmatch(r"(`+)(.*?) ?\1", row) for row in rows]
    said = [found[2] for found in quoted if found]
    assert len(said) > 40
    code = "\n".join(sentences())
    assert [sentence for sentence in said if sentence not in code] == []


def sentences() -> Iterator[str]:
    """Yield the texts of the code, with … for what is put in, and the scripts of the page."""
    for folder in ("clawtap_core", "webui"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                parts = node.values if isinstance(node, ast.JoinedStr) else [node]
                constants = [part for part in parts if isinstance(part, ast.Constant)]
                if constants and isinstance(constants[0].value, str):
                    yield "".join(
                        str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts
                    )
    for path in (CHECKOUT / "webui" / "static").rglob("*.js"):
        yield path.read_text(encoding="utf-8")


def test_the_menu_of_the_site_has_every_page() -> None:
    menu = yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text())["nav"]
    listed = re.findall(r"'([^']+\.md)'", str(menu))
    assert sorted(listed) == sorted(str(page.relative_to(CHECKOUT / "docs")) for page in PAGES)


def test_the_page_of_types_and_functions_for_adapters_says_what_the_code_says() -> None:
    path = CHECKOUT / ".ci" / "adapter_api.py"
    spec = importlib.util.spec_from_file_location("adapter_api", path)
    assert spec
    assert spec.loader
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    written = (CHECKOUT / "docs" / "adapter-api.md").read_text()
    # After a change of a docstring or a field: run .ci/adapter_api.py
    assert written == generator.page()
    sections = {kind.__module__.rpartition(".")[2] for kind in generator.hook_types()}
    assert sections == set(generator.SECTIONS)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_each_module_that_a_page_names_exists(page: Path) -> None:
    names = set(re.findall(r"`(clawtap_core(?:\.[a-z_]+)+)", page.read_text()))

    def exists(name: str) -> bool:
        path = CHECKOUT / name.replace(".", "/")
        # The last word may be a function or a constant of the module before it.
        return any(
            candidate.is_dir() or candidate.with_suffix(".py").exists()
            for candidate in (path, path.parent)
            if candidate != CHECKOUT / "clawtap_core" or name.count(".") == 1
        )

    assert [name for name in sorted(names) if not exists(name)] == []
