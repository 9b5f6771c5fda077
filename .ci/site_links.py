"""Let links of the docs that leave the folder docs lead somewhere in the site, too.

MkDocs calls these functions. A file of the repository that a page names becomes a page or a file
below `repository/`; a folder stays a word without a link. What is missing is MkDocs' own warning.
"""

from __future__ import annotations

import os.path
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

CHECKOUT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"\[([^\]]*)\]\((\.\.?/[^)#\s]*|[\w.][^)#:\s]*)(#[^)\s]*)?\)")
OUTSIDE = "repository"


def on_files(files: Files, config: Any) -> Files:
    """Add the files of the repository to which pages link, and those to which these link."""
    waiting = [file.src_uri for file in files.documentation_pages()]
    while waiting:
        page = waiting.pop()
        for _, target, _ in LINK.findall(source(page).read_text(encoding="utf-8")):
            path = resolved(page, target)
            uri = site_uri(path)
            if not uri.startswith(OUTSIDE) or files.get_file_from_path(uri) or not path.is_file():
                continue
            extra = File.generated(
                config, uri, abs_src_path=str(path), inclusion=InclusionLevel.NOT_IN_NAV
            )
            files.append(extra)
            if path.suffix == ".md":
                waiting.append(uri)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point the links of a page at the places that files have in the site."""
    here = page.file.src_uri

    def link(found: re.Match[str]) -> str:
        path = resolved(here, found[2])
        if path.is_dir():
            return found[1]
        target = posixpath.relpath(site_uri(path), posixpath.dirname(here) or ".")
        return f"[{found[1]}]({target}{found[3] or ''})"

    return LINK.sub(link, markdown)


def source(uri: str) -> Path:
    """Return the file that a page of the site is made from."""
    inside = posixpath.relpath(uri, OUTSIDE)
    return CHECKOUT / "docs" / uri if inside.startswith("..") else CHECKOUT / inside


def resolved(uri: str, target: str) -> Path:
    """Return the file to which a link of a page leads."""
    return Path(os.path.normpath(source(uri).parent / target))


def site_uri(path: Path) -> str:
    """Return the place of a file in the site; the README's is that of the first page."""
    if path == CHECKOUT / "README.md":
        return "README.md"
    docs = CHECKOUT / "docs"
    if path.is_relative_to(docs):
        return path.relative_to(docs).as_posix()
    return f"{OUTSIDE}/{path.relative_to(CHECKOUT).as_posix()}"
