"""The command new-adapter, which writes the package of a new adapter."""

from __future__ import annotations

import re
from pathlib import Path

import click

from clawtap_core import testing
from clawtap_core.host.discovery import installed

_TEMPLATE = Path(testing.__file__).with_name("template")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write to; default: clawtap-NAME.",
)
def new_adapter(name: str, folder: Path | None) -> None:
    """Write a package with an adapter for the CLI NAME.

    It reads and answers a small example, with recordings and tests that pass: change it step by
    step into an adapter for your CLI.
    """
    if not _NAME.fullmatch(name):
        raise click.UsageError(
            f"{name!r} cannot be an id: begin with a letter, use lower-case letters, digits, dashes"
        )
    if name in {entry.name for entry in installed()}:
        raise click.UsageError(f"an adapter named {name} is installed already")
    folder = folder or Path(f"clawtap-{name}")
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty; name another one with --folder")
    for path in _write(_TEMPLATE, folder, name):
        click.echo(str(path))
    click.echo(f"next: cd {folder}, pip install -e '.[test]', pytest; README.md says more")


def _write(template: Path, target: Path, name: str) -> list[Path]:
    """Copy the template, in which the CLI is called mycli."""
    module = name.replace("-", "_")
    written = []
    target.mkdir(parents=True, exist_ok=True)
    for item in sorted(template.iterdir()):
        path = target / item.name.replace("mycli", module)
        if item.is_dir():
            if item.name != "__pycache__":
                written += _write(item, path, name)
            continue
        text = item.read_text(encoding="utf-8")
        # A recording stays as it was recorded.
        if item.suffix != ".ansi":
            text = text.replace("clawtap_mycli", f"clawtap_{module}").replace("mycli", name)
            text = text.replace("My CLI", name.replace("-", " ").title())
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
