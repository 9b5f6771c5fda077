"""Finding the server and its token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clawtap_core.cli.connection import Where, connect
from clawtap_core.errors import Unauthorized, Unavailable


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of a server that runs (this process), with its token."""
    monkeypatch.delenv("CLAWTAP_TOKEN", raising=False)
    (tmp_path / "server.json").write_text(json.dumps({"url": "http://one:1", "pid": os.getpid()}))
    (tmp_path / "token").write_text("from-folder\n")
    return tmp_path


def made(**where: Any) -> Any:
    return connect(Where(**where), lambda *args: args)  # type: ignore[arg-type,return-value]


def test_the_data_folder_has_url_and_token(folder: Path) -> None:
    assert made(data_dir=folder) == ("http://one:1", "from-folder", True)


def test_flags_win_over_the_data_folder(folder: Path) -> None:
    other = folder / "other"
    other.write_text("from-file\n")
    found = made(url="http://two:2", token_file=other, data_dir=folder, ca_file=Path("ca.pem"))
    assert found == ("http://two:2", "from-file", "ca.pem")


def test_the_environment_gives_the_token(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWTAP_TOKEN", "from-env")
    assert made(data_dir=folder)[1] == "from-env"
    (folder / "other").write_text("from-file\n")
    assert made(data_dir=folder, token_file=folder / "other")[1] == "from-file"


def test_no_server_is_said_clearly(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no ClawTap server runs with the data folder"):
        made(data_dir=tmp_path)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"url": "http://x"}', '{"url": "", "pid": 1}', "[" * 100_000]
)
def test_a_damaged_server_file_is_no_server(folder: Path, content: str) -> None:
    (folder / "server.json").write_text(content)
    with pytest.raises(Unavailable):
        made(data_dir=folder)


def test_a_server_that_died_is_no_server(folder: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    (folder / "server.json").write_text(json.dumps({"url": "http://one:1", "pid": child.pid}))
    with pytest.raises(Unavailable):
        made(data_dir=folder)


def test_a_token_that_cannot_be_read_is_said(folder: Path) -> None:
    (folder / "token").unlink()
    with pytest.raises(Unauthorized, match="--token-file"):
        made(data_dir=folder)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"a token\n\nand more", "tök".encode()])
def test_a_file_that_holds_no_token_is_said(folder: Path, content: bytes) -> None:
    (folder / "token").write_bytes(content)
    with pytest.raises(Unauthorized, match=r"it holds something else.*--token-file"):
        made(data_dir=folder)
